// Loaded by plugins.cpp at run time: storage of its own for each thread, and an exception for its user.
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {
thread_local int calls = 100;
struct announces {
  announces() { std::puts("plugin begins"); }
  ~announces() { std::puts("plugin ends"); }
} announcer;
}  // namespace

extern "C" int plugin_count() { return ++calls; }
extern "C" void plugin_throw(const char* text) { throw std::runtime_error(std::string("plugin says ") + text); }
extern "C" const void* plugin_storage() { return &calls; }
