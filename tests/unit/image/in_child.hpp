// Runs a piece of a test in a process of its own, whose window is empty.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <string>

/// in:  body  () → std::string, what is wrong, empty if nothing is; an exception's text counts as such
/// out: what body returned, or how the process died
template <class Body>
std::string in_child(Body&& body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string said;
    try {
      said = body();
    } catch (const std::exception& error) {
      said = std::string("threw: ") + error.what();
    }
    const bool told = write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char part[1024];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status)) + "; " + said;
  return WEXITSTATUS(status) == 0 ? said : "exited with " + std::to_string(WEXITSTATUS(status)) + "; " + said;
}
