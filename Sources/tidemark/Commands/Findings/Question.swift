import Analysis
import CommandLineInterface
import ResultModel
import Workloads

/// A question about caches that committed scenarios answer: what is varied, for whom, and what counts.
struct Question: Sendable {
  /// A field of a scenario by its path, and what it is set to.
  typealias Setting = (path: String, text: String)

  /// A point of the curve: a scenario with fields set otherwise.
  struct Row: Sendable {
    var name: String
    var scenario: String
    /// Of columns that have none.
    var policy: String?
    var settings: [Setting] = []
  }

  /// A curve: a policy, and fields that are set for it at every point.
  struct Column: Sendable {
    var name: String
    /// `nil`: that of the row.
    var policy: String?
    var settings: [Setting] = []

    init(_ name: String, policy: String?, settings: [Setting] = []) {
      self.name = name
      self.policy = policy
      self.settings = settings
    }

    init(of policy: String, settings: [Setting] = []) {
      self.init(policy, policy: policy, settings: settings)
    }
  }

  /// In which way the curves are an answer.
  enum Form: Sendable {
    /// The first row from which on nothing more is gained; rows ascend in what they cost.
    case enough
    /// The best row.
    case best
    /// The best column of each row.
    case ranking
    /// What each row changes beside the first.
    case change
    /// What each column changes beside the first.
    case effects
    /// The best column along a field, and where that changes: a range as of `sensitivity --vary`.
    case flip(scenario: String, range: String)
  }

  /// By which a command line names it.
  var name: String
  var text: String
  /// What the rows vary, over their names.
  var axis: String
  var rows: [Row]
  var columns: [Column]
  /// The first decides.
  var figures: [Figure]
  var form: Form
  /// Whether a cache that goes over its limit wins nothing; not where what clients ship is asked.
  var heedsLimits = true
  /// What the answer does not say.
  var uncovered: String

  /// The columns that compete; bounds only show what is possible.
  var contenders: [Int] {
    columns.indices.filter { !PolicyEntry.bounds.contains(columns[$0].policy ?? "") }
  }

  /// Rows of one scenario, a field of it set to each value.
  static func rows(
    _ scenario: String, _ path: String, _ values: [String], unit: String = ""
  ) -> [Row] {
    values.map { Row(name: $0, scenario: scenario, settings: [(path, $0 + unit)]) }
  }
}
