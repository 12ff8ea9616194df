import CacheModel
import Testing

@testable import WorkloadExplanation
@testable import Workloads

@Suite("Writers with jobs, and near views")
struct WritersTests {
  private static let job = """
      - name: indexer
        jobs:
          - at: 2 min
            do: find
            count: 4_000 files
            batch: 1_000 files
            rate: 2.5/s
            beside: 10 %
            progress: 1 s
            then:
              - {do: identify, rate: 50/s, batch: 2 files}
              - {do: thumbnail, when: media, batch: 50 files, after: 200 ms}
    """

  private static func scenario(_ writers: String) throws -> Scenario {
    let text = """
      name: box
      duration: 20 min
      data:
        entities:
          disk: {count: 1 disks, size: 978 B, has: {name: text}}
          folder: {size: 900 B, has: {in: {one: folder, cascade: yes}, name: text}}
          file:
            count: 2_000 files
            size: 950 B
            has:
              in: {one: folder, tree: {depth: 2 levels, fan-out: 8 folders, below: disk}, cascade: yes}
              name: text
              changed: {time: 200 d}
              media: {flag: 30 %}
              known: flag
        queries:
          files: {list: [file, folder], where: in is subject, order: name, first: 500 rows}
          latest: {list: file, order: changed descending, first: 100 rows}
        operations:
          edit: {set: file.changed}
          find: {create: file}
          identify: {toggle: file.known}
          thumbnail: {set: file.name, grow: 699 B}
      writers:
      \(writers.split(separator: "\n").joined(separator: "\n"))
      users:
        - name: desk
          clients: 2 clients
          think: 4 s
          mix: {look: 90 %, all: 10 %}
          activities: {look: [{visit: files, zipf: 0.9}], all: [visit: latest]}
      """
    return try Scenario.parse(Array(text.utf8), file: "box.yaml", vocabulary: .unchecked)
  }

  private static func type(of object: UInt32, _ workload: Workload) -> Int {
    Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
  }

  @Test("Entities found by a job come in batches at its rate, and each wave in its turn")
  func waves() throws {
    let scenario = try Self.scenario(Self.job)
    let workload = Workload.generate(scenario)
    #expect(violations(of: workload) == [])
    func ofFiles(_ mutation: Mutation) -> [MutationItem] {
      workload.items[mutation.items].filter { Self.type(of: $0.object, workload) == 2 }
    }
    let batches = workload.mutations.filter { ofFiles($0).count == 1_000 }
    #expect(batches.map(\.at.nanoseconds) == (0..<4).map { 120_000_000_000 + $0 * 400_000_000 })
    #expect(batches.allSatisfy { $0.origin == .index && $0.kind == .batchChanged })
    let found = batches.flatMap(ofFiles).map(\.object)
    // Of 2 each at 50 batches/s: one file every 10 ms, the last when all are.
    let second = workload.mutations.filter { ofFiles($0).count == 2 }
    #expect(second.count == 2_000)
    #expect(second.flatMap(ofFiles).map(\.object) == found)
    let start: Int64 = 120_000_000_000
    for (number, mutation) in second.enumerated() where number > 1_000 {
      #expect(mutation.at.nanoseconds == start + Int64(number + 1) * 20_000_000 + 1)
    }
    let third = workload.mutations.filter { (3...50).contains(ofFiles($0).count) }
    let field = try #require(workload.model.types[2].field(named: "media")).slot
    let media = found.filter { object in
      let state = workload.catalog.revisions.firstIndex { $0.object == object } ?? 0
      return workload.catalog.word(field, of: UInt32(state)) == 1
    }
    #expect(
      third.flatMap(ofFiles).map(\.object).prefix(media.count - 1).elementsEqual(media.dropLast()))
    for mutation in third {
      let last = ofFiles(mutation).last?.object
      let identified = second.first { ofFiles($0).contains { $0.object == last } }
      #expect(mutation.at.nanoseconds == (identified?.at.nanoseconds ?? 0) + 200_000_001)
    }
    let notices = workload.mutations.filter { $0.kind == .infrastructure }
    #expect(notices.first?.at.nanoseconds == start + 1_000_000_000)
    #expect(notices.count == 40)
    #expect(notices.allSatisfy { $0.items.isEmpty })
    let check = StreamCheck(workload, against: scenario)
    #expect(check.deviations.map(\.name) == [])
    #expect(
      check.figures.contains {
        $0.name == "indexer: identify in job 1, batches" && $0.verdict == .agrees
      })
  }

  @Test("Found entities are in a new tree, except for the share next to others")
  func places() throws {
    let workload = Workload.generate(try Self.scenario(Self.job))
    let catalog = workload.catalog
    #expect(catalog.objects.count { $0.type.rawValue == 1 } == 2)
    var homes: [UInt32: Int] = [:]
    for item in workload.mutations.filter({ $0.items.count >= 1_000 }).flatMap({
      workload.items[$0.items]
    })
    where Self.type(of: item.object, workload) == 2 {
      homes[catalog.revisions[Int(item.revision)].location, default: 0] += 1
    }
    #expect(homes.count == 2)
    let beside = Double(homes[0] ?? 0) / 4_000
    #expect(abs(beside - 0.1) < 0.019, "\(beside)")
    // It existed before the job: none of it is new.
    let latest = catalog.revisions.indices.filter { state in
      Self.type(of: catalog.revisions[state].object, workload) == 2
        && OrderedWord.number(
          catalog.word(workload.model.types[2].fields[2].slot, of: UInt32(state))) >= 0
    }
    #expect(latest.isEmpty)
  }

  @Test("A large batch announced by notice is one event of its place")
  func notice() throws {
    let told = Workload.generate(try Self.scenario(Self.job))
    let workload = Workload.generate(
      try Self.scenario(Self.job.replacing("progress: 1 s", with: "announce: notice")))
    let notices = workload.mutations.filter {
      if case .bulkNotice(let location?, nil, _) = $0.kind {
        Self.type(of: location, workload) == 0
      } else {
        false
      }
    }
    #expect(notices.count == 4)
    #expect(notices.allSatisfy { $0.items.count >= 1_000 && $0.bytes == 160 })
    #expect(workload.catalog == told.catalog)
  }

  @Test("As much is as large as was expected")
  func size() throws {
    let scenario = try Self.scenario(Self.job)
    let size = WorkloadSize(of: scenario)
    let workload = Workload.generate(scenario)
    // Notices are counted to the end of the run.
    let operations = size.devices[0].operations - Double(19 * 60 - 120 - 40)
    #expect(abs(operations / Double(workload.mutations.count) - 1) < 0.1)
    #expect(
      abs(
        (size.initialStates + size.devices[0].states) / Double(workload.catalog.revisions.count) - 1
      )
        < 0.05)
  }

  @Test("The declared share of changes is to rows of opened lists", arguments: [0.2, 0.5, 0.9])
  func nearViews(share: Double) throws {
    let percent = Int(share * 100)
    let scenario = try Self.scenario(
      "  - {name: laptop, rate: 2/s, near-views: \(percent) %, mix: {edit: 100 %}}")
    let workload = Workload.generate(scenario)
    #expect(violations(of: workload) == [])
    let check = StreamCheck(workload, against: scenario)
    let figure = try #require(check.figures.first { $0.name == "laptop: share near views" })
    let measured = try #require(figure.measured)
    #expect(abs(measured - share) < 0.06, "\(measured)")
    #expect(check.deviations.map(\.name) == [])
    #expect(Workload.generate(scenario) == workload)
  }

  @Test("Without a word on views, changes fall where their operation prefers")
  func elsewhere() throws {
    let near = try Self.scenario(
      "  - {name: laptop, rate: 2/s, near-views: 90 %, mix: {edit: 100 %}}")
    let plain = Workload.generate(
      try Self.scenario("  - {name: laptop, rate: 2/s, mix: {edit: 100 %}}"))
    let check = StreamCheck(plain, against: near)
    #expect(check.deviations.map(\.name) == ["laptop: share near views"])
  }

  @Test(
    "A mistake in a group is reported in one line, with the place",
    arguments: [
      ("find, ", "finde, ", "box.yaml:25:33: unknown operation `finde`; did you mean `find`?"),
      (
        "do: find, ", "do: edit, ",
        "box.yaml:25:33: a job finds what is new, and this operation changes what exists; name one that creates"
      ),
      ("count: 9 files, ", "", "box.yaml:25:28: `count` is missing; add it: how many it finds"),
      (
        "count: 9 files", "count: 9 folders",
        "box.yaml:25:46: `folders` is not a unit of a number of files; write `9 files`"
      ),
      (
        "count: 9 files", "count: 9_000_000 files",
        "box.yaml:25:46: 9000000 files is out of range; choose from 1 to 1000000 files"
      ),
      (
        "do: identify", "do: find",
        "box.yaml:25:78: a wave changes what the job found, and this operation does not; name one with"
      ),
      (
        "when: media", "when: name",
        "box.yaml:25:94: `name` is a text, and no flag; name a flag of `file`"
      ),
      (
        "when: media", "when: medium",
        "box.yaml:25:94: unknown field of `file` `medium`; did you mean `media`?"
      ),
      (
        "jobs:", "near-views: 50 %, jobs:",
        "box.yaml:25:33: `near-views` concerns changes of what exists, and the mix has none; remove it"
      ),
      (
        "jobs: [{do: find, count: 9 files, rate: 1/s, then: [{do: identify, when: media}]}]",
        "rate: 1/s, near-views: 50 %, mix: {find: 100 %}",
        "box.yaml:25:44: `near-views` concerns changes of what exists, and the mix has none; remove it"
      ),
      (
        "jobs:", "mix: {edit: 100 %}, jobs:",
        "box.yaml:25:5: the group has a `mix` and no `rate`; add `rate`, such as `40/h`, or `burst`"
      ),
      (
        "jobs:", "rate: 1/s, jobs:",
        "box.yaml:25:5: `mix` is missing; add it: how often each operation, 100 % together"
      ),
      (
        "rate: 1/s", "rate: 1/s, batch: 1 files, beside: 200 %",
        "box.yaml:25:90: 200 % is out of range; choose from 0 % to 100 %"
      ),
    ])
  func errors(valid: String, wrong: String, message: String) throws {
    let group =
      "  - {name: indexer, jobs: [{do: find, count: 9 files, rate: 1/s, then: [{do: identify, when: media}]}]}"
    _ = try Self.scenario(group)
    let error = #expect(throws: ScenarioError.self) {
      try Self.scenario(group.replacing(valid, with: wrong))
    }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    #expect(error?.problems.count == 1)
  }
}
