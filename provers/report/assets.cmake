# Writes OUTPUT, a C++ file with the page's style sheets and scripts as texts: cmake -DFOLDER=... -DOUTPUT=... -P
# assets.cmake.
set(text "// Made by report/assets.cmake from report/assets/.\n#include \"report/html.hpp\"\n\nnamespace critscale::cli::html {\n\n")
foreach(asset style:page.css script:page.js plot_style:uPlot.min.css plot_script:uPlot.iife.min.js plot_licence:uPlot-LICENSE)
  string(REPLACE ":" ";" parts ${asset})
  list(GET parts 0 name)
  list(GET parts 1 file)
  file(READ ${FOLDER}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "namespace {\nconstexpr unsigned char ${name}_bytes[] = {${bytes}};\n}\n"
    "std::string_view ${name}() { return {reinterpret_cast<const char*>(${name}_bytes), sizeof ${name}_bytes}; }\n\n")
endforeach()
file(WRITE ${OUTPUT} "${text}}  // namespace critscale::cli::html\n")
