// Runs a program in the window without any MPI: what the loader's tests run their programs by.
#include <runtime/split/window/upper_half.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  mana::split::start_options options;
  if (argc < 2) {
    std::fprintf(stderr, "usage: split_driver PROGRAM [ARGUMENT...]\n");
    return 64;
  }
  options.program = argv[1];
  options.args.assign(argv + 1, argv + argc);
  for (char** e = environ; *e != nullptr; ++e) options.env.emplace_back(*e);
  try {
    mana::split::prepare_bridge();
    mana::split::start(options);
  } catch (const mana::split::load_error& error) {
    std::fprintf(stderr, "split_driver: %s\n", error.text.c_str());
    return error.exit_code;
  }
}
