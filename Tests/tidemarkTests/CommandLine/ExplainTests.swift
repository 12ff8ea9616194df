import CacheTestSupport
import Foundation
import Testing

@Suite("tidemark explain of recordings, and figures of streams", .startsProcesses)
struct ExplainTests {
  @Test("A scenario that resembles a recording is written, and runs")
  func fit() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      let recording = try await TidemarkProcess.run(
        "simulate", "small.yaml", "--policies", "lru", "--record", "small.jsonl", in: folder)
      #expect(recording.status == 0, "\(recording.errors)")
      let fit = try await TidemarkProcess.run(
        "explain", "small.jsonl", "--fit", "fitted.yaml", in: folder)
      #expect(fit.status == 0, "\(fit.errors)")
      #expect(fit.output.contains("files.directory"))
      let text = try folder.read("fitted.yaml")
      #expect(!text.contains("desktop") && !text.contains("laptop"))
      let run = try await TidemarkProcess.run(
        "simulate", "fitted.yaml", "--no-robustness", in: folder)
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  @Test("Estimates are in CSV and JSON as well")
  func formats() async throws {
    try await withTemporaryFolder { folder in
      try folder.write(SmallScenario.yaml, to: "small.yaml")
      for (format, mentions) in [
        (
          "csv",
          [
            ",query.files.directory.rows_p50,", ",device.0.changed_per_hour,",
            ",commit_pause_mean,",
          ]
        ),
        ("json", ["\"query.files.directory.reads\": ", "\"commit_pause_variation\": "]),
      ] {
        let run = try await TidemarkProcess.run(
          "explain", "small.yaml", "--format", format, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        for mention in mentions { #expect(run.output.contains(mention), "\(run.output)") }
      }
    }
  }

  @Test(
    "An app and the end of a process are recorded, and simulated again to the same rows")
  func recordings() async throws {
    let app = """
      name: shelf
      duration: 4 min
      drain: 10 s
      data:
        entities:
          shelf: {count: 9 shelves, size: 300 B, has: {name: text}}
          item: {count: 200 items, size: 400 B, has: {shelf: one shelf, added: {time: 9 d}}}
        queries:
          shelves: {list: shelf, order: name, first: 9 rows}
          items: {list: item, where: shelf is subject, order: added descending, page: 5 rows}
        operations:
          arrive: {create: item}
      writers: [{name: staff, rate: 20/min, mix: {arrive: 100 %}}]
      users:
        - name: buyer
          think: 1 s
          mix: {stroll: 100 %}
          activities: {stroll: [visit: shelves, follow: items, page-on: 1 pages, open: 1 rows]}
      faults: [{kind: app-restart, at: 100 s}]
      policies: [lru, spacedrive]

      """.replacing("9 shelves", with: "9 shelfs")
    let files = SmallScenario.yaml + "faults: [{kind: app-restart, at: 60 s}]\n"
    try await withTemporaryFolder { folder in
      for (name, text) in [("shelf", app), ("small", files)] {
        try folder.write(text, to: "\(name).yaml")
        let drawn = try await TidemarkProcess.run(
          "simulate", "\(name).yaml", "--policies", "lru,spacedrive", "--format", "csv",
          "--record", "\(name).jsonl", in: folder)
        #expect(drawn.status == 0, "\(drawn.errors)")
        let recorded = try await TidemarkProcess.run(
          "simulate", "\(name).jsonl", "--policies", "lru,spacedrive", "--format", "csv",
          in: folder)
        #expect(recorded.status == 0, "\(recorded.errors)")
        #expect(recorded.output == drawn.output)
      }
      let inspection = try await TidemarkProcess.run("explain", "shelf.jsonl", in: folder)
      #expect(inspection.output.contains("items"), "\(inspection.errors)")
      #expect(inspection.output.contains("shelf: 9 at the beginning"), "\(inspection.output)")
      // Words of the library of files are not the app's.
      for word in ["director", "file_bytes", "edits_of_viewed"] {
        #expect(!inspection.output.contains(word), "\(inspection.output)")
      }
      let fit = try await TidemarkProcess.run(
        "explain", "shelf.jsonl", "--fit", "fitted.yaml", in: folder)
      #expect(fit.status == 0, "\(fit.errors)")
      #expect(try folder.read("fitted.yaml").contains("{list: item, where: shelf is subject"))
      let own = try await TidemarkProcess.run("explain", "fitted.yaml", in: folder)
      #expect(own.status == 0, "\(own.errors)")
    }
  }
}
