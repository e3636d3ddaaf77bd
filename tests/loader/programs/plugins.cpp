// C++ in the window: exceptions through all kinds of frames, streams, thread_local objects, and libraries loaded late.
#include "check.h"

#include <dlfcn.h>
#include <link.h>

#include <csignal>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

struct counts_ends {
  ~counts_ends() { ++ends; }
  static inline std::atomic<int> ends{0};
};
thread_local counts_ends of_thread;
thread_local std::string text_of_thread = "initial";

int deep(int n) {
  const counts_ends one;
  if (n == 0) throw std::out_of_range("at the bottom");
  return deep(n - 1) + 1;
}

int compare(const void* a, const void* b) {
  if (*static_cast<const int*>(a) == 5) throw 5;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

void exceptions() {
  for (int i = 0; i < 100; ++i) {
    counts_ends::ends = 0;
    try {
      deep(50);
      CHECK(false);
    } catch (const std::exception& e) {
      CHECK(std::string(e.what()) == "at the bottom" && counts_ends::ends == 51);
    }
  }
  int numbers[] = {3, 5, 1};
  try {
    std::qsort(numbers, 3, sizeof(int), compare);   // through frames of C
    CHECK(false);
  } catch (int n) {
    CHECK(n == 5);
  }
  try {
    try {
      (void)std::vector<int>().at(3);
    } catch (...) {
      std::throw_with_nested(std::logic_error("outer"));
    }
  } catch (const std::logic_error& e) {
    try {
      std::rethrow_if_nested(e);
    } catch (const std::out_of_range&) {
      std::cout << "nested exceptions" << std::endl;
    }
  }
}

void on_signal(int) { throw std::string("thrown by a handler"); }

/// -fnon-call-exceptions programs throw from handlers of synchronous signals: the unwinder steps over the signal frame.
void exception_from_handler() {
  std::signal(SIGUSR1, on_signal);
  try {
    raise(SIGUSR1);
    CHECK(false);
  } catch (const std::string& s) {
    std::cout << s << std::endl;
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void threads() {
  counts_ends::ends = 0;
  std::vector<std::future<int>> results;
  for (int i = 0; i < 20; ++i)
    results.push_back(std::async(std::launch::async, [i] {
      (void)&of_thread;
      CHECK(text_of_thread == "initial");
      text_of_thread += std::to_string(i);
      if (i % 5 == 0) throw std::runtime_error(text_of_thread);
      return i;
    }));
  int sum = 0, failed = 0;
  for (auto& r : results) {
    try {
      sum += r.get();
    } catch (const std::runtime_error&) {
      ++failed;
    }
  }
  std::cout << "sum " << sum << ", failed " << failed << std::endl;
}

/// argv[1]: the plugin's file.
void plugins(const char* path) {
  for (int i = 0; i < 3; ++i) {
    void* const plugin = dlopen(path, RTLD_NOW);
    if (plugin == nullptr) std::cerr << dlerror() << std::endl;
    CHECK(plugin != nullptr);
    const auto count = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_count"));
    const auto throws = reinterpret_cast<void (*)(const char*)>(dlsym(plugin, "plugin_throw"));
    const auto storage = reinterpret_cast<const void* (*)()>(dlsym(plugin, "plugin_storage"));
    check_place(reinterpret_cast<const void*>(count));
    check_place(storage());
    CHECK(count() == 101 && count() == 102);
    std::thread([&] { CHECK(count() == 101); check_place(storage()); }).join();
    try {
      throws("hello");
    } catch (const std::runtime_error& e) {
      std::cout << e.what() << std::endl;
    }
    Dl_info info;
    CHECK(dladdr(reinterpret_cast<const void*>(count), &info) != 0 && std::string(info.dli_sname) == "plugin_count");
    CHECK(dlclose(plugin) == 0);
  }
  CHECK(dlopen("/nonexistent/library.so", RTLD_NOW) == nullptr);
}

/// Libraries of the program only: none of the lower half's is to be seen.
void loaded_objects() {
  std::map<std::string, int> names;
  dl_iterate_phdr([](dl_phdr_info* info, std::size_t, void* all) {
    const std::string name = info->dlpi_name;
    ++(*static_cast<std::map<std::string, int>*>(all))[name.substr(name.rfind('/') + 1)];
    check_place(reinterpret_cast<const void*>(info->dlpi_phdr));
    return 0;
  }, &names);
  for (const auto& [name, n] : names) std::cout << "object '" << name << "' " << n << std::endl;
}

}  // namespace

int main(int, char** argv) {
  exceptions();
  exception_from_handler();
  threads();
  plugins(argv[1]);
  loaded_objects();
  std::ostringstream text;
  text << std::hex << 255 << ' ' << 0.5 << ' ' << std::boolalpha << true;
  std::cout << text.str() << std::endl;
}
