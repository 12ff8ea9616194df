import CacheTestSupport
import Foundation
import Testing

@Suite("Output that cannot be written", .startsProcesses)
struct OutputTests {
  /// Lets no file grow beyond four kilobytes, and that by an error: the signal would end the process.
  private static let onSmallDisk = "trap '' XFSZ; ulimit -f 4; exec \"$@\""

  @Test(
    "A report folder that cannot be made ends with exit code 5 before any work",
    arguments: [
      ("small.yaml", "small.yaml: a file of that name is there"),
      ("small.yaml/report", "small.yaml/report: its parent folder cannot be"),
      ("/proc/tidemark-report", "/proc/tidemark-report: its parent folder cannot be"),
      (".", ".: contains small.yaml, which is not a report's file and would be lost"),
    ])
  func unwritableFolder(path: String, error: String) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let run = try await TidemarkProcess.run(
        "bench", "small.yaml", "--exact-only", "--output", path, in: folder)
      #expect(run.status == 5)
      #expect(run.errors.hasPrefix("tidemark: \(error)"), "\(run.errors)")
      #expect(run.errors.contains("; choose another folder with --output"))
      #expect(!run.errors.contains(".;"), "a cause, not Foundation's sentence: \(run.errors)")
      #expect(run.output == "")
      #expect(try folder.entries() == ["small.yaml"])
      #expect(try folder.read("small.yaml") == SmallScenario.yaml)
    }
  }

  @Test("A disk that fills up leaves the previous report, and no part of the new one")
  func fullDiskKeepsReport() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let first = try await TidemarkProcess.run(
        "bench", "small.yaml", "--exact-only", "--output", "report", in: folder)
      #expect(first.status == 0, "\(first.errors)")
      let report = folder.appendingPathComponent("report")
      let before = try report.entries().map { try report.read($0) }

      let second = try await TidemarkProcess.run(
        "bench", "small.yaml", "--exact-only", "--seed", "9", "--output", "report", in: folder,
        by: Self.onSmallDisk)
      #expect(second.status == 5)
      #expect(second.errors.contains("report: File too large"), "\(second.errors)")
      #expect(second.errors.contains("the previous report, if any, is as it was"))
      #expect(try report.entries().map { try report.read($0) } == before)
      #expect(try folder.entries() == ["report", "small.yaml"])
    }
  }

  @Test("A disk that fills up leaves the previous file")
  func fullDiskKeepsFile() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      try folder.write("former\n", to: "result.csv")
      let run = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--format", "csv", "--output", "result.csv", in: folder,
        by: Self.onSmallDisk)
      #expect(run.status == 5)
      #expect(
        run.errors.hasPrefix("tidemark: result.csv: not written: File too large; make room"),
        "\(run.errors)")
      #expect(try folder.read("result.csv") == "former\n")
      #expect(try folder.entries() == ["result.csv", "small.yaml"])
    }
  }

  #if os(Linux)
    @Test("A device is written to, not replaced, and a full one is an error")
    func fullDevice() async throws {
      try await withTemporaryFolder { folder in
        try folder.write(SmallScenario.yaml, to: "small.yaml")
        // Through a link in a folder of ours: were it replaced, the device would be safe.
        try FileManager.default.createSymbolicLink(
          atPath: folder.appendingPathComponent("full").path, withDestinationPath: "/dev/full")
        let run = try await TidemarkProcess.run(
          "simulate", "small.yaml", "--format", "csv", "--output", "full", in: folder)
        #expect(run.status == 5)
        #expect(
          run.errors.hasPrefix("tidemark: full: not written: No space left on device"),
          "\(run.errors)")
        let kind = try FileManager.default.attributesOfItem(atPath: "/dev/full")[.type]
        #expect(kind as? FileAttributeType == .typeCharacterSpecial)
        #expect(try folder.entries() == ["full", "small.yaml"])
      }
    }

    private static let full =
      "not written: No space left on device; make room, or choose another file\n"

    @Test("A full disk behind standard output is an error")
    func fullStandardOutput() async throws {
      try await withTemporaryFolder { folder in
        let run = try await TidemarkProcess.run(
          "list", "presets", in: folder, by: "exec \"$@\" >/dev/full")
        #expect(run.status == 5)
        #expect(
          run.errors == "tidemark: standard output: \(Self.full)")
      }
    }

    @Test(
      "The same holds for help, the version and tables of every kind",
      arguments: [
        ["--help"], ["help", "gate"], ["gate", "--help"], ["--version"], ["list", "metrics"],
        ["simulate", "small.yaml", "--no-robustness"],
        ["simulate", "small.yaml", "--no-robustness", "--format", "csv"],
        ["trace", "curve", "small.yaml", "--trace-format", "text"],
        ["trace", "convert", "small.yaml", "--from", "text", "--to", "csv"],
        ["explain", "small.yaml"],
      ])
    func fullDeviceOfEveryCommand(arguments: [String]) async throws {
      try await withTemporaryFolder { folder in
        try folder.write(SmallScenario.yaml, to: "small.yaml")
        let run = try await TidemarkProcess.run(
          URL(fileURLWithPath: "/usr/bin/env"),
          ["bash", "-c", "exec \"$@\" >/dev/full", "bash", TidemarkProcess.executable.path]
            + arguments, in: folder)
        #expect(run.status == 5)
        #expect(
          run.errors.contains("tidemark: standard output: \(Self.full)"), "\(run.errors)")
      }
    }
  #endif

  @Test(
    "A file that cannot be written is reported before the work",
    arguments: [
      ["simulate", "small.yaml", "--output"], ["simulate", "small.yaml", "--record"],
      ["measure", "latency", "--output"],
      ["tune", "small.yaml", "--vary", "capacity-entities=1,2", "--output"],
      ["trace", "replay", "small.yaml", "--trace-format", "text", "--capacities", "1", "--output"],
    ])
  func unwritableFile(command: [String]) async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      for (file, reason, remedy) in [
        (
          "absent/result", "No such file or directory",
          "make its folder first, or choose another file"
        ),
        ("small.yaml/result", "Not a directory", "choose another file"),
        (".", "Is a directory", "name a file in it, or choose another"),
      ] {
        let run = try await TidemarkProcess.run(command + [file], in: folder)
        #expect(run.status == 5)
        #expect(
          run.errors
            == "tidemark: \(file): not written: \(reason); \(remedy)\n")
        #expect(run.output == "")
      }
      #expect(try folder.entries() == ["small.yaml"])
    }
  }

  @Test("Experiments that were added to a report stay in it")
  func experimentsStay() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let names = ["sensitivity.csv", "verdict.json"]
      for isFirst in [true, false] {
        let run = try await TidemarkProcess.run(
          "bench", "small.yaml", "--exact-only", "--seeds", "1", "--output", "report", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        for name in names {
          if isFirst { try folder.write("mine\n", to: "report/\(name)") }
          #expect(try folder.read("report/\(name)") == "mine\n")
        }
      }
    }
  }

  @Test("A report replaces the one before it")
  func reportIsReplaced() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      for seed in ["1", "2"] {
        let run = try await TidemarkProcess.run(
          "bench", "small.yaml", "--exact-only", "--seed", seed, "--seeds", "1", "--output",
          "a/report",
          in: folder)
        #expect(run.status == 0, "\(run.errors)")
      }
      let report = folder.appendingPathComponent("a/report")
      #expect(
        try report.entries() == [
          "index.html", "manifest.json", "policies.csv", "reads.csv", "report.txt",
          "results.csv",
          "timeline.csv", "verdicts.json",
        ])
      let rows = TidyRow.all(in: try report.read("results.csv"))
      #expect(!rows.isEmpty && rows.allSatisfy { $0["seed"] == "2" })
      #expect(try folder.appendingPathComponent("a").entries() == ["report"])
    }
  }
}
