// Checkpoints of two ranks in a directory, to be damaged.
#pragma once
#include "../temporary_directory.hpp"

#include <runtime/image/write/image_writer.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/store.hpp>

#include <fstream>
#include <functional>
#include <string>

class checkpoints {
 public:
  explicit checkpoints(const std::filesystem::path& scratch) : directory_((scratch / "c").string()) {}
  const std::string& directory() const { return directory_; }

  mana::store::generation add(const std::function<void(mana::store::manifest&)>& change = [](auto&) {},
                              std::size_t keep = mana::store::keep_all) const {
    const auto g = mana::store::begin_generation(directory_);
    mana::store::manifest m;
    m.ranks = 2;
    m.mpi = "MPICH";
    m.program = "/bin/program";
    m.build_id = "b";
    for (std::uint32_t rank = 0; rank < m.ranks; ++rank) {
      const std::string name = mana::store::rank_file_name(rank);
      const std::vector<mana::image::section> sections{
          {"run", {static_cast<std::uint8_t>(g.number), static_cast<std::uint8_t>(rank)}}};
      const auto w = mana::image::write_rank_image(g.path + "/" + name, rank, m.ranks, sections, {});
      m.files.push_back({rank, name, w.file_bytes, w.memory_bytes, w.checksum});
    }
    change(m);
    mana::store::commit(g, m);
    mana::store::tidy(g, keep);
    return {g.path, g.number};
  }

  static std::string bytes(const mana::store::generation& g, const std::string& name) { return read_bytes(g.path + "/" + name); }
  static void put(const mana::store::generation& g, const std::string& name, const std::string& bytes) {
    std::ofstream(g.path + "/" + name, std::ios::binary) << bytes;
  }
  static void spoil(const mana::store::generation& g, const std::string& name, std::size_t at) {
    std::string all = bytes(g, name);
    all[at] = static_cast<char>(all[at] ^ 1);
    put(g, name, all);
  }
  static void write_version(const mana::store::generation& g, int version) {
    std::string text = bytes(g, "manifest.json");
    text.replace(text.find("_checkpoint\": 2"), 15, "_checkpoint\": " + std::to_string(version));
    put(g, "manifest.json", mana::store::sealed(text.substr(0, text.rfind(",\n  \"checksum\"")) + "\n}\n"));
  }

 private:
  std::string directory_;
};
