// Libraries that the program opens: before the lines, closed after; first opened after them; in a namespace of their
// own. They have thread-local objects of two models, constructors and destructors, and exceptions that pass through
// their frames.
#include "fidelity.h"

#include <link.h>
#include <stdexcept>
#include <string>
#include <thread>

extern "C" { int library_events; }
static const char source[] =
    "#include <string>\n#include <stdexcept>\nextern \"C\" int library_events __attribute__((weak));\n"
    "struct object { std::string text = \"thread\"; ~object() { if (&library_events) library_events += 100; } };\n"
    "static thread_local object local; static thread_local long plain = 5;\n"
    "static struct once { once() { if (&library_events) ++library_events; } ~once() { if (&library_events) library_events += 10; } } o;\n"
    "extern \"C\" long next() { return ++plain; }\n"
    "extern \"C\" const char* text(char more) { local.text += more; return local.text.c_str(); }\n"
    "extern \"C\" void through(void (*f)()) { struct guard { ~guard() { ++plain; } } g; f(); }\n"
    "extern \"C\" void fails() { throw std::out_of_range(\"from the library\"); }\n";
static std::string folder;

static void build(const char* name, const char* flags) {
  const std::string path = folder + "/" + name;
  FILE* const file = fopen((path + ".cpp").c_str(), "w");
  fputs(source, file), fclose(file);
  CHECK(system(("g++ -O1 -shared -fPIC " + std::string(flags) + " -o " + path + ".so " + path + ".cpp").c_str()) == 0);
}
static void* open_it(const char* name) {
  void* const library = dlopen((folder + "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  CHECK(library != nullptr, "%s", dlerror());
  return library;
}
template <class F> static F* in(void* library, const char* name) {
  F* const found = reinterpret_cast<F*>(dlsym(library, name));
  CHECK(found != nullptr, "%s", dlerror());
  return found;
}
static bool listed(const char* name) {
  std::string wanted = folder + "/" + name;
  return dl_iterate_phdr([](dl_phdr_info* info, size_t, void* what) {
    return int(static_cast<std::string*>(what)->compare(info->dlpi_name) == 0);
  }, &wanted) == 1;
}
static void use(void* library, long expected, const char* text) {
  CHECK(in<long()>(library, "next")() == expected);
  char found[64];
  strcpy(found, in<const char*(char)>(library, "text")('x'));
  CHECK(!strcmp(found, text), "%s", found);
  try { in<void()>(library, "fails")(); CHECK(!"thrown"); } catch (const std::out_of_range&) {}
  try {
    in<void(void (*)())>(library, "through")([] { throw std::string("mine"); });
    CHECK(!"thrown");
  } catch (const std::string& thrown) { CHECK(thrown == "mine"); }
  std::thread([&] { CHECK(in<long()>(library, "next")() == 6); }).join();
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[] = "libraries-XXXXXX";
  folder = std::string("./") + mkdtemp(name);
  build("first", ""), build("second", "-ftls-model=global-dynamic"), build("third", "-ftls-model=initial-exec");
  build("fourth", "-mtls-dialect=gnu2");
  void* const first = open_it("first");
  void* const apart = dlmopen(LM_ID_NEWLM, (folder + "/second.so").c_str(), RTLD_NOW);
  CHECK(apart != nullptr, "%s", dlerror());
  use(first, 6, "threadx");
  CHECK(in<long()>(apart, "next")() == 6 && listed("first.so") && !listed("second.so"));
  line();
  use(first, 8, "threadxx");
  CHECK(in<long()>(apart, "next")() == 7);
  void* const third = open_it("third");                    // static thread-local storage, never opened before
  use(third, 6, "threadx");
  CHECK(listed("third.so"));
  line();
  use(first, 10, "threadxxx"), use(third, 8, "threadxx");
  CHECK(dlclose(apart) == 0);
  void* const fourth = open_it("fourth");
  use(fourth, 6, "threadx");
  Dl_info info;
  CHECK(dladdr(dlsym(fourth, "next"), &info) != 0 && !strcmp(info.dli_sname, "next"));
  CHECK(system(("rm -r " + folder).c_str()) == 0);
  return finish();
}
