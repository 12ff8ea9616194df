import ResultModel
package import Text

/// What a run came to, as `verdicts.json` keeps it: a report is made of it and of the rows, without
/// simulating anything again.
package struct SavedVerdicts: Hashable, Sendable, Decodable {
  /// Raised whenever a member no longer means what it says.
  package static let version = 1

  package var verdictsVersion = version
  package var scenarios: [SavedScenario] = []
  package var targets: [SavedTarget] = []
  /// Other circumstances that verdicts were not put to, since time was short.
  package var unasked = 0
  /// Every policy that ran, by name; `nil` in what older versions wrote.
  package var policies: [SavedPolicy]?

  package init() {}
}

/// What a policy's name stands for.
package struct SavedPolicy: Hashable, Sendable, Decodable {
  package var name: String
  package var meaning: String

  package init(name: String, meaning: String) {
    self.name = name
    self.meaning = meaning
  }
}

/// A mean or a mean difference, with what stands behind ±.
package struct SavedInterval: Hashable, Sendable, Decodable {
  package var mean: Double
  package var halfWidth: Double
  package var seeds: Int
  /// The share of such intervals that hold the true mean.
  package var level: Double

  package init(mean: Double, halfWidth: Double, seeds: Int, level: Double) {
    self.mean = mean
    self.halfWidth = halfWidth
    self.seeds = seeds
    self.level = level
  }

  var low: Double { mean - halfWidth }
  var high: Double { mean + halfWidth }
}

/// One scenario: which policy to ship, by how much, how sure, and what else is known of it.
package struct SavedScenario: Hashable, Sendable, Decodable {
  package enum Outcome: String, Hashable, Sendable, Decodable {
    case ship
    case equivalent
    case notDecided = "not_decided"
    case noneFeasible = "none_feasible"
    case oneSeed = "one_seed"
    /// Too few users were recorded for any interval.
    case fewUsers = "few_users"
    /// No policy competes, or none has the figures that decide.
    case nobody
    /// The recording leaves open which hits were fresh, and that decides.
    case cannotSay = "cannot_say"
  }

  package var scenario: String
  /// What happens in it, in the words of its file.
  package var summary = ""
  package var outcome: Outcome
  /// Who is named first.
  package var choice: [String] = []
  /// Who else may be shipped, is left (who leads first), or was best of the one seed.
  package var candidates: [String] = []
  package var objective: String
  package var unit: String
  /// What the scenario calls the same.
  package var zone = ""
  package var seeds: Int
  /// Whether these are seeds or users; `nil` in what older versions wrote.
  package var replicate: String?
  package var runnerUp: String?
  /// By how much the choice is better than the runner-up.
  package var lead: SavedInterval?
  /// The verdict in words.
  package var sentence: String
  /// Why the choice is ahead, or among equals named first.
  package var reason: String?
  package var standings: [SavedStanding] = []
  package var alternatives: [SavedAlternative] = []
  package var effects: [SavedEffect] = []
  package var faults: [SavedFault] = []
  /// How little memory is enough, in words.
  package var knee: String?
  /// The limits within which policies were compared, in words; `nil` in what older versions wrote.
  package var limits: String?
  /// What searches limits to ship.
  package var limitsCommand: String?
  /// The users whose recordings it is of; `nil`: drawn.
  package var recordedUsers: Int?
  /// Of one run, in nanoseconds of virtual time.
  package var duration: Int64 = 0
  package var warmUp: Int64 = 0
  /// What makes the verdict again, and the rows of the tables.
  package var verdictCommand: String
  package var rowsCommand: String

  package init(
    scenario: String, outcome: Outcome, objective: String, unit: String, seeds: Int,
    sentence: String, verdictCommand: String, rowsCommand: String
  ) {
    self.scenario = scenario
    self.outcome = outcome
    self.objective = objective
    self.unit = unit
    self.seeds = seeds
    self.sentence = sentence
    self.verdictCommand = verdictCommand
    self.rowsCommand = rowsCommand
  }
}

/// How one policy stands.
package struct SavedStanding: Hashable, Sendable, Decodable {
  package enum Fate: String, Hashable, Sendable, Decodable {
    case left
    case behind
    case infeasible
    case withoutFigures = "without_figures"
  }

  package var policy: String
  package var fate: Fate
  package var objective: SavedInterval?
  /// How far behind whom; positive is worse.
  package var behind: SavedInterval?
  package var reference: String?
}

/// The verdict when the question is put a little differently.
package struct SavedAlternative: Hashable, Sendable, Decodable {
  package enum Answer: String, Hashable, Sendable, Decodable {
    case agrees
    case disagrees
    case open
  }

  package var label: String
  package var answer: Answer
  /// Who is named there, in words.
  package var verdict: String
}

/// What one choice instead of `lru`'s own is worth: a difference of fresh hits.
package struct SavedEffect: Hashable, Sendable, Decodable {
  package var change: String
  package var difference: SavedInterval?
}

/// Something that breaks in every run of a scenario.
package struct SavedFault: Hashable, Sendable, Decodable {
  package var kind: String
  /// `nil`: all clients.
  package var client: String?
  /// In nanoseconds of virtual time.
  package var begin: Int64
  package var end: Int64

  package init(kind: String, client: String?, begin: Int64, end: Int64) {
    self.kind = kind
    self.client = client
    self.begin = begin
    self.end = end
  }
}

/// What a target came to for one policy.
package struct SavedTarget: Hashable, Sendable, Decodable {
  package enum Outcome: String, Hashable, Sendable, Decodable {
    case met
    case missed
    case inconclusive
    case missing
  }

  package var scenario: String
  package var policy: String
  /// The metric with what narrows it.
  package var name: String
  /// With its sign and unit.
  package var limit: String
  package var measured: String
  package var outcome: Outcome
  package var reason: String?
}

extension SavedScenario {
  /// As in "10 seeds", "1 user".
  var count: String { text(of: seeds) }

  func text(of count: Int) -> String {
    "\(count) \(replicate ?? "seed")\(count == 1 ? "" : "s")"
  }

  /// Whether it says which policy to ship.
  var isDecided: Bool { outcome == .ship || outcome == .equivalent }

  /// What simulates and measures it again.
  var benchCommand: String {
    verdictCommand.replacing("tidemark simulate", with: "tidemark bench")
  }

  /// What is said where none is named.
  var word: String {
    switch outcome {
    case .ship, .equivalent: choice.joined(separator: " = ")
    case .notDecided: "not decided"
    case .noneFeasible: "none keeps the limits"
    case .oneSeed: "no verdict: one seed"
    case .fewUsers: "no verdict: few users"
    case .nobody: "no verdict"
    case .cannotSay: "no verdict: the recording cannot say"
    }
  }
}

extension SavedInterval {
  /// A difference in its unit: of ratios in points.
  func text(unit: String) -> String {
    guard let unit = MetricUnit(rawValue: unit), unit != .ratio else {
      return "\(HumanNumber.points(mean)) ± \(HumanNumber.points(halfWidth)) points"
    }
    return HumanNumber.interval(mean, halfWidth, unit: unit)
  }
}

extension SavedVerdicts {
  /// `verdicts.json`: every member by its name, in the order in which they are declared here.
  package func document() throws(NotFinite) -> [UInt8] {
    var all = self
    all.policies = policies ?? []
    return try JSONWriter.document(JSONValue(members: all))
  }
}

extension JSONValue {
  /// A value with its stored properties as members, in the form in which `Decodable` reads it from snake case.
  fileprivate init(members value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let number as any BinaryInteger: self = .integer(number)
    case let number as Double: self = .real(number)
    case let word as any RawRepresentable<String>: self = .string(word.rawValue)
    default:
      let mirror = Mirror(reflecting: value)
      switch mirror.displayStyle {
      case .optional: self = mirror.children.first.map { JSONValue(members: $0.value) } ?? .null
      case .collection: self = .array(mirror.children.map { JSONValue(members: $0.value) })
      default:
        self = .object(
          mirror.children.map { child in
            let name = (child.label ?? "").reduce(into: "") { name, letter in
              name += letter.isUppercase ? "_\(letter.lowercased())" : "\(letter)"
            }
            return JSONMember(name, JSONValue(members: child.value))
          })
      }
    }
  }
}
