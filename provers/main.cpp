// The program `critscale`.
#include "commands/commands.hpp"

int main(int argc, char** argv) { return critscale::cli::run(argc, argv); }
