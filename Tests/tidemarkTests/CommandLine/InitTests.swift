import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark init", .startsProcesses)
struct InitTests {
  @Test(
    "The folder works at once: it is explained, simulated and gated, and a change fails the gate")
  func template() async throws {
    try await withTemporaryFolder { parent in
      let made = try await TidemarkProcess.run("init", "my-app", in: parent)
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output.contains("next: cd my-app && tidemark simulate my-app --seeds auto"))
      #expect(try parent.entries() == ["my-app"])
      let folder = parent.appendingPathComponent("my-app")
      #expect(
        try folder.entries()
          == [".github", ".gitignore", ".gitlab-ci.yml", "Makefile", "Reports", "Scenarios"])
      #expect(
        try folder.appendingPathComponent("Reports/baseline").entries()
          == ["baseline.csv", "manifest.json"])
      let scenario = try folder.read("Scenarios/my-app.yaml")
      #expect(scenario.hasPrefix("# yaml-language-server: $schema=schema.json\nname: my-app\n"))
      let schema = try await TidemarkProcess.run("list", "schema", in: folder)
      #expect(try folder.read("Scenarios/schema.json") == schema.output)
      for arguments in [
        ["explain", "my-app"], ["simulate", "my-app", "--no-robustness"], ["gate"],
      ] {
        let run = try await TidemarkProcess.run(arguments, in: folder)
        #expect(run.status == 0, "\(arguments): \(run.output)\(run.errors)")
      }
      try folder.write(
        scenario.replacing("capacity-entities: 500", with: "capacity-entities: 60"),
        to: "Scenarios/my-app.yaml")
      let gate = try await TidemarkProcess.run(
        "gate", "--also", "junit=out/gate.xml", in: folder)
      #expect(gate.status == 1, "\(gate.errors)")
      #expect(
        gate.output.contains("cache.capacity-entities was 500 entities, is 60 entities"),
        "\(gate.output)")
      #expect(gate.output.contains("worse my-app/lru: fresh_hit_ratio[all]"), "\(gate.output)")
      #expect(gate.output.contains("if this was intended, renew the baseline: make baseline"))
      let junit = try folder.read("out/gate.xml")
      let cases = junit.split(separator: "\n").filter { $0.contains("<testcase") }
      #expect(Set(cases).count == cases.count, "\(junit)")
      // Its target was 15 %, and is met by less than 60 %.
      let stricter = scenario.replacing("at-least: 15 %", with: "at-least: 60 %")
      try #require(stricter != scenario)
      try folder.write(stricter, to: "Scenarios/my-app.yaml")
      let missed = try await TidemarkProcess.run("gate", in: folder)
      #expect(missed.status == 1, "\(missed.output)")
      #expect(missed.output.contains("targets: 1 missed\n"), "\(missed.output)")
      #expect(missed.output.contains("at_least.lru was 15 %, is 60 %"), "\(missed.output)")
      let without = scenario.split(separator: "\n").filter { !$0.hasPrefix("targets:") }
      try folder.write(without.joined(separator: "\n") + "\n", to: "Scenarios/my-app.yaml")
      let removed = try await TidemarkProcess.run("gate", in: folder)
      #expect(removed.status == 0, "\(removed.output)")
      #expect(
        removed.output.contains("the targets differ from the baseline's")
          && removed.output.contains("was 15 %, is absent"), "\(removed.output)")
      try folder.write(stricter, to: "Scenarios/my-app.yaml")
      // By the makefile's commands, with this executable.
      let renewed = try await TidemarkProcess.run(
        in: folder, by: "make -s baseline TIDEMARK=\"$1\"")
      #expect(renewed.status == 0, "\(renewed.errors)")
      let after = try await TidemarkProcess.run("gate", in: folder)
      #expect(after.status == 0, "\(after.output)")
      #expect(after.output.contains("targets: 1 missed as in the baseline"), "\(after.output)")
      try folder.write(scenario, to: "Scenarios/other.yml")
      let overlooked = try await TidemarkProcess.run("gate", in: folder)
      #expect(overlooked.status == 2, "\(overlooked.output)")
      #expect(
        overlooked.errors.contains("Scenarios/other.yml is not read"), "\(overlooked.errors)")
    }
  }

  @Test("From a recording the scenario has its types and queries, and works the same way")
  func recording() async throws {
    try await withTemporaryFolder { parent in
      try parent.write(SmallScenario.yaml, to: "small.yaml")
      let recorded = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "session.jsonl", in: parent)
      #expect(recorded.status == 0, "\(recorded.errors)")
      let made = try await TidemarkProcess.run(
        "init", "mine", "--from", "session.jsonl", in: parent)
      #expect(made.status == 0, "\(made.errors)")
      let folder = parent.appendingPathComponent("mine")
      let scenario = try folder.read("Scenarios/mine.yaml")
      #expect(scenario.hasPrefix("# yaml-language-server: $schema=schema.json\nname: mine\n"))
      #expect(scenario.contains("files.directory: {list: [file, directory]"), "\(scenario)")
      let gate = try await TidemarkProcess.run("gate", in: folder)
      #expect(gate.status == 0, "\(gate.output)\(gate.errors)")
    }
  }

  @Test(
    "In a repository the pipelines name the folder from its top, and it is said where they belong")
  func inRepository() async throws {
    try await withTemporaryFolder { top in
      let apps = top.appendingPathComponent("apps")
      for folder in [top.appendingPathComponent(".git"), apps] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      }
      let made = try await TidemarkProcess.run("init", "mine", in: apps)
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output.contains("move mine/.github/workflows/tidemark.yml there"))
      let workflow = try apps.read("mine/.github/workflows/tidemark.yml")
      #expect(workflow.contains("working-directory: apps/mine\n"), "\(workflow)")
      #expect(try apps.read("mine/.gitlab-ci.yml").contains("- cd apps/mine\n"))
    }
  }

  @Test("If nobody reads its output, it makes nothing and leaves nothing, hidden or not")
  func closedOutput() async throws {
    try await withTemporaryFolder { folder in
      let made = try await TidemarkProcess.run(
        in: folder, by: "set -o pipefail; \"$1\" init mine | true")
      #expect(made.status == 5, "\(made.errors)")
      #expect(made.errors.contains("standard output: not written: "), "\(made.errors)")
      #expect(try folder.entries() == [])
    }
  }

  @Test("Nothing that is there is replaced, and what cannot be made leaves nothing")
  func refusals() async throws {
    try await withTemporaryFolder { folder in
      try folder.write("kept\n", to: "mine")
      try folder.write("{}\n", to: "empty.jsonl")
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      for (arguments, status, message) in [
        (["mine"], 5, "mine: already exists, and nothing is replaced"),
        (["My_App"], 2, "\"My_App\" cannot name a scenario"),
        ([""], 2, "\"\" cannot name a scenario"),
        (["other", "--from", "empty.jsonl"], 2, "empty.jsonl: "),
        (
          ["other", "--from", "small.yaml"], 2,
          "--from small.yaml: no recording; name a file of .jsonl"
        ),
      ] {
        let run = try await TidemarkProcess.run(["init"] + arguments, in: folder)
        #expect(run.status == Int32(status), "\(arguments): \(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
      }
      #expect(try folder.entries() == ["empty.jsonl", "mine", "small.yaml"])
      #expect(try folder.read("mine") == "kept\n")
    }
  }
}
