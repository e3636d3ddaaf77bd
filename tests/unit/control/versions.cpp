// The command and the job are of different builds of mana: each refuses the other by name.
#include "parts.hpp"

#include "../temporary_directory.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace control_versions_tests {

using namespace mana;
using namespace mana::control_test;
using control::client_problem;
using control::frame_reader;
using control::frame_type;
using control::frame_writer;

namespace {

const job::options two_ranks{{{0, 1}}};

control::bytes next_frame(control::connection& line) {
  for (;;) {
    if (auto frame = line.next()) return *frame;
    pollfd wait{line.fd(), POLLIN, 0};
    poll(&wait, 1, -1);
    REQUIRE(line.receive());
  }
}

control::client_error refusal_of(const std::string& job) {
  try {
    control::job_status(job, 60);
  } catch (const control::client_error& error) { return error; }
  FAIL("it was answered");
  return {client_problem::no_job, {}};
}

/// Job files of other versions: the members of this one are changed in its own file.
void change_file(const temporary_directory& place, const nlohmann::json& members) {
  const auto path = place.path() / "job.json";
  auto document = nlohmann::json::parse(read_bytes(path));
  document.merge_patch(members);  // null takes a member away
  place.write("job.json", document.dump());
}

}  // namespace

TEST_CASE("a job of a mana that says another protocol is refused with its name and its command") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  started(j);
  change_file(place, {{"protocol", 7}, {"mana", "9.1"}, {"command", "/opt/mana-9/bin/mana"}});
  const auto error = refusal_of(place.path());
  CHECK(error.problem == client_problem::other_mana);
  CHECK(error.command == "/opt/mana-9/bin/mana");
  CHECK(has(error.what(), "protocol 7 of mana 9.1"));
  CHECK(has(error.what(), "protocol " + std::to_string(control::protocol_version) + " of mana "));
  CHECK_THROWS_AS(control::request_checkpoint(place.path(), false, 60), control::client_error);
  j.finish();
  CHECK(j.commits == 0);
}

TEST_CASE("a job of a mana that says no protocol") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  started(j);
  change_file(place, {{"protocol", nullptr}, {"mana", nullptr}, {"command", nullptr}});
  const auto error = refusal_of(place.path());
  CHECK(error.problem == client_problem::other_mana);
  CHECK(has(error.what(), "which does not say its version"));
}

TEST_CASE("the path of the command is found beside the process where the file does not say it") {
  temporary_directory place;
  CHECK(control::command_beside((place.path() / "libexec/mana/mana-lower-x").string()).empty());
  std::filesystem::create_directories(place.path() / "bin");
  place.write("bin/mana", "", true);
  CHECK(control::command_beside((place.path() / "libexec/mana/mana-lower-x").string()) ==
        (place.path() / "bin/mana").string());
  CHECK(control::command_beside("").empty());
}

TEST_CASE("a job of another mana that has ended is no job of another mana") {
  temporary_directory place;
  control::job_file left = control::starting_job(2, "a test");
  left.where = control::make_endpoint(1);
  left.protocol = 7;
  control::write_job_file(place.path(), left);
  CHECK(refusal_of(place.path()).problem == client_problem::not_answering);
}

TEST_CASE("a client that says another protocol is told the job's, and nothing that it asks is done") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  const control::job_file file = started(j);
  control::connection client(control::connect_to({"127.0.0.1"}, file.where.port));
  // As a later version may say hello: there is more behind what is known.
  client.send_all(frame_writer(frame_type::hello_client)
                      .put(file.where.key)
                      .put(std::uint32_t{9})
                      .put(std::string("9.1"))
                      .put(1)
                      .take());
  client.send_all(frame_writer(frame_type::ask_checkpoint).put(std::uint8_t{0}).put(std::uint8_t{0}).take());
  const auto frame = next_frame(client);
  frame_reader said(frame);
  CHECK(said.type() == frame_type::other_protocol);
  CHECK(said.get<std::uint32_t>() == control::protocol_version);
  CHECK(said.get<std::string>() == control::own_build().version);
  CHECK(said.get<std::string>().empty());  // this test is of no installation
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 1);
}

TEST_CASE("what the client hears of another protocol names the job's mana") {
  temporary_directory place;
  const control::listener other = control::listen_on_any_port();
  control::job_file left = control::starting_job(2, "a test");
  left.where = control::make_endpoint(other.port);
  control::write_job_file(place.path(), left);
  std::thread speaks([&] {
    pollfd wait{other.socket.get(), POLLIN, 0};
    poll(&wait, 1, -1);
    control::connection line(control::accept_from(other));
    const auto hello = next_frame(line);
    CHECK(hello.size() + sizeof(std::uint32_t) <= 64 + sizeof(std::uint32_t));  // what version 1 reads
    line.send_all(frame_writer(frame_type::other_protocol)
                      .put(std::uint32_t{9})
                      .put(std::string("9.1"))
                      .put(std::string("/m"))
                      .take());
    // Its question, or its end: it may have heard enough before it asks. What lies unread when a line is closed resets it.
    pollfd more{line.fd(), POLLIN, 0};
    poll(&more, 1, -1);
    line.receive();
  });
  const auto error = refusal_of(place.path());
  speaks.join();
  CHECK(error.problem == client_problem::other_mana);
  CHECK(error.command == "/m");
  CHECK(has(error.what(), "protocol 9 of mana 9.1"));
}

TEST_CASE("a client that says no protocol is answered in its own words, and nothing that it asks is done") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  const control::job_file file = started(j);
  control::connection client(control::connect_to({"127.0.0.1"}, file.where.port));
  client.send_all(frame_writer(frame_type::hello_client).put(file.where.key).take());
  client.send_all(frame_writer(frame_type::ask_checkpoint).put(std::uint8_t{1}).put(std::uint8_t{0}).take());
  const auto answer = next_frame(client);
  frame_reader said(answer);
  CHECK(said.type() == frame_type::answer);
  CHECK(said.get<std::uint8_t>() == 0);
  CHECK(has(said.get<std::string>(), "use the mana that started the job"));
  client.send_all(frame_writer(frame_type::ask_progress).take());
  client.send_all(frame_writer(frame_type::ask_status).take());
  const auto status = next_frame(client);
  frame_reader shown(status);
  CHECK(shown.type() == frame_type::status);
  const auto document = nlohmann::json::parse(shown.get<std::string>());
  CHECK(has(document.at("phase"), "use the mana that started the job"));
  CHECK(document.at("ranks") == 2);  // all that it reads is there
  CHECK(document.at("seconds_by_phase").is_object());
  j.finish();
  CHECK(j.commits == 0);
}

TEST_CASE("a hello whose version is cut off is none") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  const control::job_file file = started(j);
  control::connection client(control::connect_to({"127.0.0.1"}, file.where.port));
  client.send_all(frame_writer(frame_type::hello_client).put(file.where.key).put(std::uint16_t{2}).take());
  pollfd wait{client.fd(), POLLIN, 0};
  poll(&wait, 1, -1);
  CHECK_FALSE(client.receive());
}

}  // namespace control_versions_tests
