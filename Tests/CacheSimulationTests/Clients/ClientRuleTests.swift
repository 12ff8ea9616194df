import CacheModel
import CacheSimulation
import ResultModel
import Testing
import Text
import Workloads

@Suite("Presets of Relay and SWR, against the rules of their sources", .timeLimit(.minutes(30)))
struct ClientRuleTests {
  /// A day or so of one user: views one at a time or several, and reads without a view.
  struct Habit: Sendable, CustomTestStringConvertible {
    var seed: UInt64
    var directories: Int
    /// The mean time between two actions, in seconds.
    var pace: Double
    /// How long a request takes, in milliseconds.
    var roundTrip: Int64
    var views = 1
    /// Whether a read happens only with a view.
    var readsBesideViews = false
    var testDescription: String {
      "\(directories) directories, every \(pace) s, \(roundTrip) ms, \(views) views"
    }

    /// 5,000 reads; a fifth of the actions come within a few milliseconds of the one before.
    func actions() -> [ClientAction] {
      var random = RandomSource(seed: seed)
      var actions: [ClientAction] = []
      var open: [Int] = []
      var reads = 0
      var now: Int64 = 0
      while reads < 5000 {
        let pause = random.chance(0.8) ? random.exponential(mean: pace) : random.unit() * 0.02
        now += Int64(pause * 1e9) + 1
        // Some are visited more than others.
        let query = min(random.below(directories), random.below(directories))
        let choice = random.unit()
        if choice < 0.3, !readsBesideViews || !open.isEmpty {
          actions.append(ClientAction(at: now, kind: .read, query: query))
          reads += 1
        } else if open.count == views || choice > 0.7 && !open.isEmpty {
          let left = open.remove(at: random.below(open.count))
          actions.append(ClientAction(at: now, kind: .unobserve, query: left))
        } else if !open.contains(query) {
          open.append(query)
          actions.append(ClientAction(at: now, kind: .observe, query: query))
          reads += 1
        }
      }
      return actions
    }
  }

  /// The actions as a recording: one file in each directory, which never changes.
  private func recording(of actions: [ClientAction], _ habit: Habit) -> String {
    let id = "00000000-0000-4000-8000-"
    func object(_ type: String, _ number: Int) -> String {
      #"{"line":"object","type":"\#(type)","id":"\#(id)\#(100_000_000_000 + number)"}"#
    }
    let directories = 0..<habit.directories
    let end = (actions.last?.at ?? 0) + 60_000_000_000
    var model = JSONWriter()
    model.object { TinyWorkload.model.writeDeclaration(&$0) }
    var lines = [
      #"{"format":"tidemark-session","version":3,"truth":"known","name":"drawn","seed":1,"#
        + #""duration":\#(end),"library":"\#(id)000000000001","network":{"minimumRoundTrip":"#
        + #"\#(habit.roundTrip * 1_000_000),"meanExtra":0,"seed":1},"#
        + #""retention":{"events":1000,"age":3600000000000},"#
        + String(decoding: model.bytes.dropFirst(), as: UTF8.self)
    ]
    lines += directories.map { object("directory", $0) }
    lines += directories.map { object("file", habit.directories + $0) }
    for number in directories {
      lines.append(
        #"{"line":"state","object":\#(number),"clock":\#(number + 1),"device":1,"#
          + #""bytes":300,"fields":{"name":"a"}}"#)
    }
    for number in directories {
      let file = habit.directories + number
      lines.append(
        #"{"line":"state","object":\#(file),"clock":\#(file + 1),"device":1,"bytes":900,"#
          + #""fields":{"parent":\#(number),"name":"b"}}"#)
    }
    lines += directories.map {
      #"{"line":"query","name":"files.directory","subject":\#($0),"limit":1000}"#
    }
    lines.append(#"{"line":"client","name":"desktop"}"#)
    for action in actions {
      lines.append(
        #"{"line":"action","client":0,"at":\#(action.at),"do":"\#(action.kind.rawValue)","#
          + #""query":\#(action.query)}"#)
    }
    return lines.joined(separator: "\n")
  }

  private func outcome(
    of preset: String, on actions: [ClientAction], _ habit: Habit
  ) throws -> ClientOutcome {
    let text = recording(of: actions, habit)
    let simulation = Simulation(of: try SessionRecording.read(Array(text.utf8)))
    let allowance = Preset.Allowance(
      capacity: Capacity(entities: 100), maximumQueries: 2, freshness: .neverExpires)
    let composition = try #require(Preset.named(preset)).composition(allowance)
    var outcome = ClientOutcome()
    for read in try simulation.reads(policy: preset, composition: composition)
    where read.outcome == .hitFresh || read.outcome == .hitStale {
      outcome.hits.insert(read.at)
    }
    let values = RunValues(
      rows: try simulation.run(policy: preset, composition: composition).rows
        .filter { $0.class == "total" })
    outcome.requests = Int(try #require(values[.fetches]))
    return outcome
  }

  private func compare(_ found: ClientOutcome, with right: ClientOutcome) {
    let different = found.hits.symmetricDifference(right.hits).sorted()
    #expect(different.isEmpty, "first \(different.prefix(5))")
    #expect(found.requests == right.requests)
  }

  @Test(
    "Relay: which read is a hit, over 5,000 of them with a full buffer",
    arguments: [
      Habit(seed: 1, directories: 24, pace: 3, roundTrip: 20),
      Habit(seed: 2, directories: 30, pace: 1, roundTrip: 300, views: 3),
      Habit(seed: 3, directories: 16, pace: 0.3, roundTrip: 300, views: 2),
      Habit(seed: 4, directories: 30, pace: 1, roundTrip: 1500),
    ])
  func relay(habit: Habit) throws {
    let actions = habit.actions()
    var rules = RelayRules(roundTrip: habit.roundTrip * 1_000_000)
    compare(try outcome(of: "relay", on: actions, habit), with: rules.run(actions))
  }

  @Test(
    "SWR: which request is made, over 5,000 reads around its two seconds",
    arguments: [
      Habit(seed: 5, directories: 24, pace: 3, roundTrip: 20, readsBesideViews: true),
      Habit(seed: 6, directories: 8, pace: 0.7, roundTrip: 20, readsBesideViews: true),
      Habit(seed: 7, directories: 12, pace: 1, roundTrip: 400, readsBesideViews: true),
    ])
  func swr(habit: Habit) throws {
    let actions = habit.actions()
    var rules = SWRRules(roundTrip: habit.roundTrip * 1_000_000)
    compare(try outcome(of: "swr", on: actions, habit), with: rules.run(actions))
  }
}
