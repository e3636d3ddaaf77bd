// What tests of jobs have in common: programs, and what a requester or a rank that the test plays sees of a job.
#pragma once
#include "job.hpp"

#include <runtime/control/client.hpp>
#include <runtime/control/connection.hpp>
#include <runtime/control/endpoint.hpp>

#include <doctest/doctest.h>
#include <poll.h>

#include <memory>
#include <string>
#include <thread>

namespace mana::control_test {

inline void computing(rank& r) {
  while (r.go_on()) r.compute();
}

inline void barriers(rank& r) {
  while (r.go_on()) {
    r.barrier();
    r.compute();
  }
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The reason why there is no checkpoint.
inline std::string refusal(const job& j) {
  try {
    control::request_checkpoint(j.directory(), false, 60);
  } catch (const control::client_error& error) {
    CHECK(error.problem == control::client_problem::refused);
    return error.what();
  }
  FAIL("the checkpoint was taken");
  return {};
}

inline control::job_file started(const job& j) {
  control::job_file file;
  while ((file = control::read_job_file(j.directory())).where.port == 0) rest();
  return file;
}

inline void await_frame(control::connection& line) {
  while (!line.next()) {
    pollfd wait{line.fd(), POLLIN, 0};
    poll(&wait, 1, -1);
    REQUIRE(line.receive());
  }
}

/// A rank's line to the coordinator or to a relay, which has welcomed it.
inline std::unique_ptr<control::connection> call(std::uint16_t port, const control::job_key& key, int rank) {
  auto line = std::make_unique<control::connection>(control::connect_to({"127.0.0.1"}, port));
  line->send_all(control::frame_writer(control::frame_type::hello_rank).put(key).put(rank).take());
  await_frame(*line);
  return line;
}

}  // namespace mana::control_test
