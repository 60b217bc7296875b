// A finished table in other formats, chosen by the file's extension. Uses reader.hpp, npy.hpp.
#pragma once

#include <string>

namespace critscale {

/// Throws InputError unless the extension is .csv, .json, .npy, .npz, .h or .tex.
void require_table_format(const std::string& path);

/// Turns the complete CSV at `path`.partial into `path`, in the format of the extension of `name` (the path
/// as it was given, which may be a link); the file appears whole. Throws InputError.
void convert_finished(const std::string& path, const std::string& name, bool force);

}  // namespace critscale
