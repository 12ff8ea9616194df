import ResultModel
package import Text

/// The results of a run in `verdicts.json`: a report is created from it and the rows, without simulating
/// again.
package struct SavedVerdicts: Hashable, Sendable, Decodable {
  /// Increased whenever a member no longer has the same meaning.
  package static let version = 1

  package var verdictsVersion = version
  package var scenarios: [SavedScenario] = []
  package var targets: [SavedTarget] = []
  /// The number of robustness checks omitted for lack of time.
  package var unasked = 0
  /// All policies that ran, by name; `nil` in files of older versions.
  package var policies: [SavedPolicy]?

  package init() {}
}

package struct SavedPolicy: Hashable, Sendable, Decodable {
  package var name: String
  package var meaning: String

  package init(name: String, meaning: String) {
    self.name = name
    self.meaning = meaning
  }
}

package struct SavedInterval: Hashable, Sendable, Decodable {
  package var mean: Double
  package var halfWidth: Double
  package var seeds: Int
  package var level: Double

  var low: Double { mean - halfWidth }
  var high: Double { mean + halfWidth }
}

/// One scenario: the recommended policy, its margin, certainty, and further results.
package struct SavedScenario: Hashable, Sendable, Decodable {
  package enum Outcome: String, Hashable, Sendable, Decodable {
    case ship
    case equivalent
    case notDecided = "not_decided"
    case noneFeasible = "none_feasible"
    case oneSeed = "one_seed"
    /// Too few users were recorded for an interval.
    case fewUsers = "few_users"
    /// No policy competes, or none has the required figures.
    case nobody
    /// The recording leaves open which hits were fresh, and the result depends on it.
    case cannotSay = "cannot_say"
  }

  package var scenario: String
  /// The summary in its file.
  package var summary = ""
  package var outcome: Outcome
  /// The first choices.
  package var choice: [String] = []
  /// The other acceptable, remaining (leader first), or best policies of the one seed.
  package var candidates: [String] = []
  package var objective: String
  package var unit: String
  /// The scenario's zone of indifference.
  package var zone = ""
  package var seeds: Int
  /// Seeds or users; `nil` in files of older versions.
  package var replicate: String?
  package var runnerUp: String?
  /// How much better the choice is than the runner-up.
  package var lead: SavedInterval?
  package var sentence: String
  /// Why the choice is ahead, or preferred among equals.
  package var reason: String?
  package var standings: [SavedStanding] = []
  package var alternatives: [SavedAlternative] = []
  package var effects: [SavedEffect] = []
  package var faults: [SavedFault] = []
  /// The smallest sufficient memory, in words.
  package var knee: String?
  /// The limits within which policies were compared, in words; `nil` in what older versions wrote.
  package var limits: String?
  /// The command that searches for limits.
  package var limitsCommand: String?
  /// The users whose recordings it is of; `nil`: drawn.
  package var recordedUsers: Int?
  /// The duration of one run, in nanoseconds of virtual time.
  package var duration: Int64 = 0
  package var warmUp: Int64 = 0
  /// The commands that reproduce the verdict, and the rows of the tables.
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
  /// How much worse than the reference; positive is worse.
  package var behind: SavedInterval?
  package var reference: String?
}

/// The verdict under a varied condition.
package struct SavedAlternative: Hashable, Sendable, Decodable {
  package enum Answer: String, Hashable, Sendable, Decodable {
    case agrees
    case disagrees
    /// The only choice of the verdict is one of several equals there.
    case tied
    case open
  }

  package var label: String
  package var answer: Answer
  package var verdict: String
}

/// The effect of changing one setting of `lru`: a difference in fresh hits.
package struct SavedEffect: Hashable, Sendable, Decodable {
  package var change: String
  package var difference: SavedInterval?
}

package struct SavedFault: Hashable, Sendable, Decodable {
  package var kind: String
  /// `nil`: all clients.
  package var client: String?
  /// The begin and end, in nanoseconds of virtual time.
  package var begin: Int64
  package var end: Int64

  package init(kind: String, client: String?, begin: Int64, end: Int64) {
    self.kind = kind
    self.client = client
    self.begin = begin
    self.end = end
  }
}

package struct SavedTarget: Hashable, Sendable, Decodable {
  package enum Outcome: String, Hashable, Sendable, Decodable {
    case met
    case missed
    case inconclusive
    case missing
  }

  package var scenario: String
  package var policy: String
  /// The metric with class and statistic.
  package var name: String
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

  /// Whether it recommends a policy.
  var isDecided: Bool { outcome == .ship || outcome == .equivalent }

  /// The command that simulates and measures it again.
  var benchCommand: String {
    verdictCommand.replacing("tidemark simulate", with: "tidemark bench")
  }

  /// The word for a result without a recommendation.
  var word: String {
    switch outcome {
    case .ship, .equivalent: choice.joined(separator: " = ")
    case .notDecided: "not decided"
    case .noneFeasible: "no policy keeps the limits"
    case .oneSeed: "no verdict: one seed"
    case .fewUsers: "no verdict: few users"
    case .nobody: "no verdict"
    case .cannotSay: "no verdict: the recording cannot say"
    }
  }
}

extension SavedInterval {
  /// Returns a difference in its unit: in points for ratios.
  func text(unit: String) -> String {
    guard let unit = MetricUnit(rawValue: unit), unit != .ratio else {
      return "\(HumanNumber.points(mean)) ± \(HumanNumber.points(halfWidth)) points"
    }
    return HumanNumber.interval(mean, halfWidth, unit: unit)
  }
}

extension SavedVerdicts {
  /// Returns `verdicts.json`: every member by name, in the order of declaration.
  package func document() throws(NotFinite) -> [UInt8] {
    var all = self
    all.policies = policies ?? []
    return try JSONWriter.document(JSONValue(members: all))
  }
}

extension JSONValue {
  /// Creates an object with a value's stored properties as members, in the snake-case form that `Decodable`
  /// reads.
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
