import CacheModel
import Testing

@testable import Workloads

/// Draws a scenario, forgets it, and estimates it from what was drawn: each figure must come back.
@Suite("A scenario fitted to a recording")
struct ScenarioFitTests {
  /// A scenario, what was drawn from it, the scenario that was fitted to that, and a draw of it.
  struct RoundTrip: Sendable {
    let declared: Scenario
    let recorded: Workload
    let text: String
    let fitted: Scenario
    let drawn: Workload

    init(between: VisitSection.Between) throws {
      let yaml = ScenarioFitTests.yaml(between: between)
      // One is as long as it takes for 10,000 reads; that suffices to see that they are enough.
      declared = try ScenarioFitTests.scenario(
        between == .suspended ? yaml : yaml.replacing("50 h", with: "30 h"))
      recorded = Workload.generate(declared, seed: 5)
      let fit = ScenarioFit(recorded)
      text = fit.text
      fitted = try fit.scenario()
      drawn = Workload.generate(fitted)
    }

    func deviations(of fitted: Scenario, drawn: Workload) -> [String] {
      ScenarioFitTests.deviations(of: fitted, drawn, from: declared, recorded)
    }
  }

  static let suspended = Result { try RoundTrip(between: .suspended) }
  static let connected = Result { try RoundTrip(between: .connected) }

  static func yaml(between: VisitSection.Between) -> String {
    """
    name: drawn
    duration: 50 h
    drain: 1 min
    library:
      files: 8_000 files
      depth: 3 levels
      fan-out: 14 directories
      albums: 60 albums
      album-size: 5 files
      content: {least: 500 B, most: 60 kB, exponent: 1.2}
    devices:
      - name: laptop
        count: 3 devices
        rate: 35/h
        mix: {create: 20 %, modify: 70 %, rename: 5 %, move: 5 %}
        popularity: {distribution: zipf, exponent: 0.8}
    sessions:
      - name: phone
        clients: 4 clients
        visits: {rate: 105/d, length: 100 s, between: \(between.rawValue)}
        watched: [albums.list]
        mix: {browse: 60 %, album: 30 %, recents: 10 %}
        think: 4 s
        moves: 4 moves
        back: 30 %
        into: 20 %
        revisit: 60 %
        opens: 0.3 files
        popularity: {distribution: zipf, exponent: 1.1}
        newest: {share: 12 %, age: 6 h}
    network: {heartbeat: 5 min}
    policies: [lru]
    """
  }

  static func scenario(_ text: String) throws -> Scenario {
    try Scenario.parse(Array(text.utf8), file: "drawn.yaml", vocabulary: .unchecked)
  }

  /// The figures that are off: by more than a tenth, exponents by more than 0.1.
  static func deviations(
    of fitted: Scenario, _ drawn: Workload, from declared: Scenario, _ recorded: Workload
  ) -> [String] {
    var names: [String] = []
    func compare(_ name: String, _ found: Double?, _ wanted: Double, within tolerance: Double) {
      guard let found, abs(found - wanted) <= tolerance else {
        names.append(name)
        return
      }
    }
    func compare(_ name: String, _ found: Double?, _ wanted: Double) {
      compare(name, found, wanted, within: 0.1 * wanted)
    }
    guard fitted.devices.count == declared.devices.count,
      fitted.sessions.count == declared.sessions.count
    else { return ["groups"] }
    for (own, wanted) in zip(fitted.devices, declared.devices) {
      compare("devices", Double(own.count), Double(wanted.count), within: 0)
      compare("rate", own.rate, wanted.rate)
      compare("modify", own.mix.modify, wanted.mix.modify)
      compare(
        "exponent of edits", own.popularity.exponent, wanted.popularity.exponent, within: 0.1)
    }
    for (own, wanted) in zip(fitted.sessions, declared.sessions) {
      func seconds(_ duration: Duration) -> Double { Double(duration.wholeNanoseconds) / 1e9 }
      compare("clients", Double(own.clients), Double(wanted.clients), within: 0)
      compare("think", seconds(own.think.mean), seconds(wanted.think.mean))
      if own.think.distribution != wanted.think.distribution { names.append("pauses") }
      if let visits = wanted.visits {
        compare("visits", own.visits?.rate, visits.rate)
        compare("visit length", own.visits.map { seconds($0.length) }, seconds(visits.length))
        if own.visits?.between != visits.between { names.append("between") }
      } else if own.visits != nil {
        names.append("visits")
      }
      compare(
        "exponent of views", own.popularity.exponent, wanted.popularity.exponent, within: 0.1)
      if own.watched != wanted.watched { names.append("watched") }
      if let newest = wanted.newest { compare("new content", own.newest?.share, newest.share) }
    }
    let (was, now) = (WorkloadSummary(of: recorded), WorkloadSummary(of: drawn))
    func share(_ part: Int, _ whole: Int) -> Double { Double(part) / Double(max(1, whole)) }
    compare(
      "seen before", share(now.seenBefore, now.queryReads), share(was.seenBefore, was.queryReads))
    compare("reads", Double(now.reads), Double(was.reads))
    compare(
      "mean size", share(now.bytesAtStart, now.objectsAtStart),
      share(was.bytesAtStart, was.objectsAtStart))
    return names
  }

  @Test("gives back what it was drawn from", arguments: VisitSection.Between.allCases)
  func roundTrip(between: VisitSection.Between) throws {
    let trip = try (between == .suspended ? Self.suspended : Self.connected).get()
    let reads = WorkloadSummary(of: trip.recorded).queryReads
    #expect(reads >= (between == .suspended ? 10_000 : 5_000))
    #expect(trip.deviations(of: trip.fitted, drawn: trip.drawn) == [], "\(trip.text)")
  }

  @Test("A wrong estimate of any of them would be noticed")
  func noticesMistakes() throws {
    let trip = try Self.suspended.get()
    let document = try ScenarioDocument(Array(trip.text.utf8), file: "fitted.yaml")
    let session = trip.fitted.sessions[0]
    let device = trip.fitted.devices[0]
    func number(_ value: Double) -> String { FittedText.number(value) }
    let seconds = Double(session.think.mean.wholeNanoseconds) / 1e9
    let planted = [
      ("devices.others-1.rate", "\(number(device.rate * 86_400 * 1.2))/d", "rate"),
      (
        "devices.others-1.popularity.exponent", number(device.popularity.exponent + 0.2),
        "exponent of edits"
      ),
      ("sessions.users-1.think", "\(number(seconds * 0.8)) s", "think"),
      (
        "sessions.users-1.visits.rate", "\(number((session.visits?.rate ?? 0) * 86_400 * 0.8))/d",
        "visits"
      ),
      ("sessions.users-1.visits.length", "150 s", "visit length"),
      (
        "sessions.users-1.popularity.exponent", number(session.popularity.exponent - 0.25),
        "exponent of views"
      ),
      ("sessions.users-1.newest.share", "16 %", "new content"),
    ]
    for (path, value, name) in planted {
      let wrong = try document.setting(path, to: value).scenario(vocabulary: .unchecked)
      #expect(trip.deviations(of: wrong, drawn: trip.drawn) == [name])
    }
    let wrong = try document.setting("sessions.users-1.revisit", to: "0 %")
      .setting("library.content.least", to: "900 B").scenario(vocabulary: .unchecked)
    let deviations = trip.deviations(of: wrong, drawn: Workload.generate(wrong))
    #expect(deviations.contains("seen before"))
    #expect(deviations.contains("mean size"))
  }

  @Test("holds no name and no key of the recording")
  func keepsSecrets() throws {
    let trip = try Self.suspended.get()
    #expect(!trip.text.contains("phone") && !trip.text.contains("laptop"))
    #expect(!trip.text.contains("drawn\n") && trip.text.contains("name: fitted"))
    var recording = trip.recorded
    recording.name = "secret"
    for index in recording.clients.indices { recording.clients[index].name = "secret-\(index)" }
    #expect(!ScenarioFit(recording).text.contains("secret"))
    for key in trip.recorded.catalog.objects.prefix(200) {
      #expect(!trip.text.contains(key.id.description))
    }
  }

  @Test("says what too few observations do not tell, and uses the default")
  func saysWhatIsMissing() throws {
    let short = Self.yaml(between: .suspended).replacing("duration: 50 h", with: "duration: 20 min")
    var fit = ScenarioFit(Workload.generate(try Self.scenario(short)))
    try fit.adjust()
    let fitted = try fit.scenario()
    #expect(fitted.devices.allSatisfy { $0.popularity.exponent == PopularitySection().exponent })
    #expect(fit.text.contains("# the default: "))
    #expect(fit.text.contains("are too few, 300 would tell"))
  }

  @Test("has faults that end before its quiet end, whatever was recorded")
  func faults() throws {
    var recording = Workload.generate(
      try Self.scenario(Self.yaml(between: .connected).replacing("50 h", with: "10 min")))
    func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
    recording.clients[0].partitions = [instant(100)..<instant(120), instant(590)..<instant(600)]
    recording.clients[1].errors = [instant(0)..<instant(600)]
    recording.clients[2].relaunches = [instant(300), instant(600)]
    recording.clients[2].storageFaults = [
      StorageRefusal(during: instant(200)..<instant(900), fault: .readOnly)
    ]
    let scenario = try ScenarioFit(recording).scenario()
    #expect(scenario.faults.count { $0.kind == .partition } >= 1)
    for kind in [FaultSection.Kind.errors, .relaunch, .storage] {
      #expect(scenario.faults.count { $0.kind == kind } == 1)
    }
  }

  @Test("of a recording in which nothing happens is a scenario nevertheless")
  func empty() throws {
    let log = """
      {"format":"tidemark-session","version":1,"truth":"observed","name":"x","duration":9,\
      "library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","network":{"minimumRoundTrip":0,"meanExtra":0},\
      "retention":{"events":0,"age":0}}
      {"line":"client","name":"a","partitions":[]}
      """
    var fit = ScenarioFit(try SessionRecording.read(Array(log.utf8)))
    try fit.adjust()
    #expect(try fit.scenario().sessions.count == 1)
  }

  @Test(
    "Four digits are written",
    arguments: [
      (0.0, "0"), (1, "1"), (3.14159, "3.142"), (123_456.7, "123457"), (0.001234, "0.001234"),
      (100, "100"), (99.999, "100"), (1e-9, "0.000000001"), (2.5, "2.5"),
    ])
  func digits(value: Double, text: String) { #expect(FittedText.number(value) == text) }
}
