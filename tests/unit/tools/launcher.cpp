#include <runtime/tools/mpi/launcher.hpp>

#include <runtime/tools/mpi/process_manager.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/words/mpi_families.hpp>

#include <doctest/doctest.h>

#include <map>

namespace tools_launcher_tests {

using namespace mana::tools;

namespace {

environment of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

const auto hydra = of({{"PMI_RANK", "3"}, {"PMI_FD", "6"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}});
const auto orte = of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}, {"PMIX_RANK", "2"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}});

mana::exit_status refusal(const mpi_evidence& evidence) {
  try {
    choose_mpi(evidence);
  } catch (const failure& failed) {
    CHECK(!failed.remedy().empty());
    return failed.code();
  }
  return mana::exit_status::success;
}

const std::vector<live_mpi> two_live{{"mpich", mpi_name::mpich, "4.0.2", {}}, {"openmpi", mpi_name::openmpi, "4.1.4", {}}};

mpi_evidence evidence(linked_mpi linked, const environment& get, std::string wanted = {}) {
  return {"./app", std::move(linked), find_launcher(get), std::move(wanted), {}, two_live, {}};
}

/// "ABI over live MPI"
std::string choice(const mpi_evidence& evidence) {
  const mpi_choice chosen = choose_mpi(evidence);
  return std::string(short_name(chosen.abi)) + " over " + (chosen.live ? chosen.live->name : "none");
}

const linked_mpi mpich{{mpi_name::mpich}, {}}, openmpi{{mpi_name::openmpi}, {}}, none{};

}  // namespace

TEST_CASE("launchers are known by what they leave in the environment") {
  CHECK(find_launcher(hydra).mpi == mpi_name::mpich);
  CHECK(find_launcher(hydra).certain);
  CHECK(find_launcher(hydra).rank == 3);
  CHECK(find_launcher(hydra).node_rank == 1);
  CHECK(find_launcher(orte).mpi == mpi_name::openmpi);
  CHECK(find_launcher(orte).rank == 2);
  CHECK(!find_launcher(of({})).mpi);
  CHECK(!find_launcher(of({{"PMIX_RANK", "0"}})).certain);
  CHECK(!find_launcher(of({{"PMI_FD", "5"}, {"PMI_RANK", "0"}, {"SLURM_JOB_ID", "7"}})).certain);
}

TEST_CASE("libraries are known by their sonames") {
  CHECK(find_linked_mpi({{"libc.so.6", ""}, {"libmpich.so.12", ""}}).found == std::vector{mpi_name::mpich});
  CHECK(find_linked_mpi({{"libmpi_cxx.so.40", ""}, {"libmpi.so.40", ""}}).found == std::vector{mpi_name::openmpi});
  CHECK(find_linked_mpi({{"/opt/x/libmpi.so.12", ""}}).found == std::vector{mpi_name::mpich});
  CHECK(find_linked_mpi({{"libmpi_abi.so.1", ""}}).found == std::vector{mpi_name::standard});
  CHECK(find_linked_mpi({{"libmpi.so.20", ""}}).foreign == std::vector<std::string>{"libmpi.so.20"});
  CHECK(find_linked_mpi({{"libmpifoo.so", ""}}).found.empty());
  const auto cray = find_linked_mpi({{"libmpifort_gnu_123.so.12", ""}, {"libmpi_gnu_123.so.12", ""}, {"libmpi_gnu_123.so.40", ""}});
  CHECK(cray.found == std::vector{mpi_name::mpich});
  CHECK(cray.sonames == std::vector<std::string>{"libmpi_gnu_123.so.12"});
  CHECK(mana::matches("libmpi_*.so.12", "libmpi_.so.12"));
  CHECK_FALSE(mana::matches("libmpi_*.so.12", "libmpi.so.12"));
  CHECK_FALSE(mana::matches("ab*ba", "aba"));
}

TEST_CASE("a live MPI that may be any one's is taken under any launcher, if it is asked for") {
  for (const environment& get : {hydra, orte, of({})}) {
    mpi_evidence asked = evidence(mpich, get, "standard");
    asked.installed.push_back({"standard", mpi_name::standard, "1.0", {}});
    CHECK(choice(asked) == "mpich over standard");
  }
}

TEST_CASE("the program's libraries choose the ABI, the launcher the live MPI") {
  CHECK(choice(evidence(mpich, of({}))) == "mpich over mpich");
  CHECK(choice(evidence(openmpi, orte)) == "openmpi over openmpi");
  CHECK(choice(evidence(openmpi, hydra)) == "openmpi over mpich");
  CHECK(choice(evidence(mpich, orte)) == "mpich over openmpi");
  CHECK(choice(evidence(mpich, of({{"PMIX_RANK", "0"}}))) == "mpich over mpich");      // a batch system's: any MPI may speak it
  CHECK(choice(evidence({{mpi_name::standard}, {}}, hydra)) == "standard over mpich");
  CHECK(refusal(evidence({{mpi_name::mpich, mpi_name::openmpi}, {}}, hydra)) == mana::exit_status::mpi_mismatch);
  CHECK(refusal(evidence({{}, {"libmpi.so.20"}}, orte)) == mana::exit_status::mpi_unsupported);
}

TEST_CASE("--mpi chooses the live MPI, --abi the program's") {
  CHECK(choice(evidence(mpich, of({}), "openmpi")) == "mpich over openmpi");
  CHECK(refusal(evidence(mpich, hydra, "openmpi")) == mana::exit_status::mpi_mismatch);
  CHECK(refusal(evidence(mpich, of({}), "mpich-5")) == mana::exit_status::parts_missing);
  mpi_evidence both_linked = evidence({{mpi_name::mpich, mpi_name::openmpi}, {}}, hydra);
  both_linked.wanted_abi = mpi_name::openmpi;
  CHECK(choice(both_linked) == "openmpi over mpich");
  mpi_evidence script = evidence(none, hydra);
  script.wanted_abi = mpi_name::openmpi;
  CHECK(choice(script) == "openmpi over mpich");
}

TEST_CASE("a program without an MPI library has the ABI of the live MPI") {
  CHECK(choice(evidence(none, hydra)) == "mpich over mpich");
  CHECK(choice(evidence(none, of({}), "openmpi")) == "openmpi over openmpi");
  CHECK(refusal(evidence(none, hydra, "openmpi")) == mana::exit_status::mpi_mismatch);
}

TEST_CASE("a program of which nothing says an MPI has none") {
  CHECK(choice(evidence(none, of({}))) == "none over none");
  CHECK(choice(evidence(none, of({}), "none")) == "none over none");
  CHECK(choice(evidence(none, hydra, "none")) == "none over none");            // each process is a job of its own
  CHECK(choice(evidence(none, orte)) == "openmpi over openmpi");               // ranks that never call MPI_Init
  CHECK(refusal(evidence(mpich, of({}), "none")) == mana::exit_status::mpi_mismatch);
  CHECK(parse_mpi_name(short_name(mpi_name::none)) == mpi_name::none);
}

TEST_CASE("an installation without the launcher's MPI names those that it has") {
  mpi_evidence here = evidence(mpich, orte);
  here.installed = {two_live[0]};
  try {
    choose_mpi(here);
    FAIL("not refused");
  } catch (const failure& failed) {
    CHECK(failed.code() == mana::exit_status::launcher_unknown);
    CHECK(std::string(failed.what()).find("Open MPI") != std::string::npos);
    CHECK(std::string(failed.what()).find("it has mpich") != std::string::npos);
    CHECK(failed.remedy().starts_with("mana add-mpi "));
  }
  here.started_by = find_launcher(of({}));
  here.linked = openmpi;
  CHECK(choice(here) == "openmpi over mpich");         // a single rank runs over what there is
}

TEST_CASE("below a batch system no rank starts over an MPI that neither the program nor the plug-in names") {
  mpi_evidence here = evidence(mpich, of({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"SLURM_JOB_ID", "7"}}));
  CHECK(choice(here) == "mpich over mpich");
  here.installed.erase(here.installed.begin());        // Open MPI is left: each rank would be a job of its own
  CHECK(refusal(here) == mana::exit_status::launcher_unknown);
  here.wanted = "openmpi";                             // which may have been built for it
  CHECK(choice(here) == "mpich over openmpi");
  here.wanted.clear();
  here.linked = openmpi;                               // an Open MPI may have been built with PMI
  CHECK(choice(here) == "openmpi over openmpi");
}

TEST_CASE("of two live MPIs of one family, the one beside the launcher") {
  const auto first = std::filesystem::canonical("/usr/bin/env"), second = std::filesystem::canonical("/proc/self/exe");
  mpi_evidence here = evidence(mpich, hydra);
  here.installed = {{"mpich", mpi_name::mpich, "4.0.2", first}, {"mpich-5", mpi_name::mpich, "5.0.2", second}};
  CHECK(choice(here) == "mpich over mpich");
  here.started_from = {second.parent_path() / "proxy"};      // beside the second one's mpirun
  CHECK(choice(here) == "mpich over mpich-5");
  here.started_from = {second};
  CHECK(choice(here) == "mpich over mpich-5");
  here.started_from = {first, second};                              // the nearest counts
  CHECK(choice(here) == "mpich over mpich");
  here.installed[0].name = "another";
  here.started_from.clear();
  CHECK(choice(here) == "mpich over another");
  here.installed[0].name = "mpich";
  here.wanted = "mpich";
  CHECK(choice(here) == "mpich over mpich");
}

TEST_CASE("only launchers among the ancestors count, whatever lies beside them") {
  using paths = std::vector<std::filesystem::path>;
  CHECK(launchers_among({"/usr/bin/bash", "/usr/bin/python3.11", "/usr/sbin/sshd"}).empty());
  CHECK(launchers_among({"/usr/bin/bash", "/opt/m5/bin/hydra_pmi_proxy", "/usr/bin/bash"}) == paths{"/opt/m5/bin/hydra_pmi_proxy"});
  CHECK(launchers_among({"/opt/o6/bin/prterun", "/usr/bin/orterun"}) == paths{"/opt/o6/bin/prterun", "/usr/bin/orterun"});
  CHECK(launchers_among({"/usr/bin/orted"}) == paths{"/usr/bin/orted"});
  CHECK(!programs_of_ancestors().empty());

  const std::filesystem::path first = "/usr/bin/env", second = std::filesystem::canonical("/proc/self/exe");
  mpi_evidence here = evidence(mpich, hydra);
  here.installed = {{"mpich", mpi_name::mpich, "4.0.2", second}, {"mpich-5", mpi_name::mpich, "5.0.2", first}};
  here.started_from = launchers_among({"/usr/bin/bash", second.parent_path() / "hydra_pmi_proxy"});
  CHECK(choice(here) == "mpich over mpich");           // although the shell lies where mpich-5's launcher does
}

TEST_CASE("a choice that is a guess is said") {
  mpi_evidence here = evidence(mpich, hydra);
  CHECK(remark_on(two_live[0], here).empty());                     // of its family it is the only one
  here.installed = {{"a", mpi_name::mpich, "5.0.2", "/nonexistent/mpirun"}, {"mpich", mpi_name::mpich, "4.0.2", std::filesystem::canonical("/proc/self/exe")}};
  CHECK(choice(here) == "mpich over mpich");                       // the one with the family's name
  CHECK(remark_on(here.installed[1], here).find("--mpi chooses another: a (5.0.2)") != std::string::npos);
  here.started_from = {here.installed[1].launcher};
  CHECK(remark_on(here.installed[1], here).empty());               // its launcher is seen
  here.started_from.clear();
  here.wanted = "mpich";
  CHECK(remark_on(here.installed[1], here).empty());
  here.installed[1].hidden = {"/home/me/mana-lower-mpich"};
  CHECK(remark_on(here.installed[1], here).find("two live MPIs are called mpich") != std::string::npos);
}

TEST_CASE("of two live MPIs of one name, the first list's is taken") {
  const auto all = joined({{"b", mpi_name::mpich, "1", {}}, {"c", mpi_name::mpich, "1", {}}},
                          {{"a", mpi_name::mpich, "2", {}}, {"c", mpi_name::mpich, "2", {}, {}, {}, {}, "/own/c"}});
  CHECK(names_of(all) == "a, b, c");
  CHECK(all[2].version == "1");
  CHECK(all[2].hidden == std::vector<std::filesystem::path>{"/own/c"});
}

TEST_CASE("a restart runs over the launcher's MPI, else over the checkpoint's, else over any") {
  const auto name = [](const mpi_evidence& evidence, std::optional<mpi_name> made_with) {
    const auto live = choose_live(evidence, made_with);
    return live ? live->name : std::string();
  };
  CHECK(name(evidence(none, hydra), mpi_name::openmpi) == "mpich");
  CHECK(name(evidence(none, of({})), mpi_name::openmpi) == "openmpi");
  CHECK(name(evidence(none, of({}), "mpich"), mpi_name::openmpi) == "mpich");
  mpi_evidence one = evidence(none, of({}));
  one.installed = {two_live[0]};
  CHECK(name(one, mpi_name::openmpi) == "mpich");
}

TEST_CASE("descriptions of live MPIs") {
  const auto read = parse_live_mpi(R"({"name": "m5", "family": "mpich", "version": "5.0.2", "launcher": "/opt/m5/bin/mpirun"})");
  REQUIRE(read);
  CHECK(read->name == "m5");
  CHECK(read->family == mpi_name::mpich);
  CHECK(read->version == "5.0.2");
  CHECK(read->launcher == "/opt/m5/bin/mpirun");
  for (const char* text : {"", "{", "[]", "{}", R"({"name": 3, "family": "mpich"})", R"({"name": "x", "family": "y"})"})
    CHECK_FALSE(parse_live_mpi(text));
  CHECK(names_of(two_live) == "mpich, openmpi");
  CHECK(read_live_mpis("/nonexistent").empty());
}

TEST_CASE("MPICH's ranks that were started for PMIx alone") {
  const auto refused = [](std::map<std::string, std::string> values, const live_mpi& mpi = two_live[0]) {
    try {
      refuse_other_process_manager(mpi, "/bin/sh", of(std::move(values)));      // not linked with PMIx
    } catch (const failure& failed) {
      return std::string(failed.remedy());
    }
    return std::string();
  };
  const std::map<std::string, std::string> pmix{{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}};
  CHECK(refused(pmix).find("--mpi=pmi2") != std::string::npos);
  CHECK(refused({{"PMIX_NAMESPACE", "x"}}).find("mpirun") != std::string::npos);
  auto of_one = pmix;
  of_one["SLURM_STEP_NUM_TASKS"] = "1";
  auto both = pmix;
  both["PMI_FD"] = "5";
  CHECK(refused(of_one).empty());
  CHECK(refused(both).empty());
  CHECK(refused({}).empty());
  CHECK(refused({{"SLURM_STEP_NUM_TASKS", "2"}}).find("--mpi=pmi2") != std::string::npos);
  CHECK(refused({{"SLURM_STEP_NUM_TASKS", "2"}, {"PMI_FD", "9"}}).empty());
  CHECK(refused(pmix, two_live[1]).empty());
}

TEST_CASE("the file of an MPI's library may have more numbers than its soname") {
  const auto name_of = [](const char* file) {
    const mana::mpi_family* const family = mana::family_of_file(file);
    return std::string(family != nullptr ? family->name : "");
  };
  CHECK(name_of("libmpi.so.40.30.4") == "openmpi");
  CHECK(name_of("libmpi.so.40") == "openmpi");
  CHECK(name_of("libmpich.so.12.2.1") == "mpich");
  CHECK(name_of("libmpi_gnu_123.so.12.0.0") == "mpich");
  for (const char* const none : {"", ".", "4", "libmpi.so", "libmpi.so.4.0", "libmpi.so.40.", "libmpi.so.40.x", "libm.so.6", "40.30.4"})
    CHECK(name_of(none).empty());
}

TEST_CASE("the name for linking of an MPI's library, and the name of its wrapper library") {
  const mana::mpi_family &mpich = *mana::family_of(mpi_name::mpich), &openmpi = *mana::family_of(mpi_name::openmpi);
  for (const char* const name : {"libmpich.so", "libmpi.so", "libmpi_gnu_123.so"}) CHECK(mana::is_for_linking(name, mpich));
  CHECK(mana::is_for_linking("libmpi.so", openmpi));
  for (const char* const name : {"libmpich.so", "libmpi", "libmpi.so.4", "libmpi.so.40", "", "libmpi_gnu_123.so"})
    CHECK(!mana::is_for_linking(name, openmpi));
  CHECK(mana::family_of_wrappers("/a/lib/mana/libmana-openmpi.so") == &openmpi);
  CHECK(mana::family_of_wrappers("libmana-mpich.so") == &mpich);
  for (const char* const path : {"", "libmana-.so", "libmana-so", "libmana-none.so", "/libmana-mpich.so/libm.so.6", "libmana-mpich.so.1"})
    CHECK(mana::family_of_wrappers(path) == nullptr);
}

}  // namespace tools_launcher_tests
