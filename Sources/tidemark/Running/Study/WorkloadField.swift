import CacheModel
import CommandLineInterface
import Workloads

/// One field of a workload, and the values at which it is asked.
struct WorkloadField: Sendable {
  private enum Domain: Sendable {
    case list([String])
    case range(FieldRange)
  }

  /// The path, as it was written.
  let path: String
  private let domain: Domain

  /// What is for people, or for the judges of a run, is no workload.
  private static let others: Set = ["name", "description", "seed", "policies", "targets", "goal"]

  init(_ text: String, in document: ScenarioDocument) throws {
    let (path, values) = try TuningParameter.parts(of: text)
    let top = String(path.prefix { $0 != "." })
    guard !Self.others.contains(top) else {
      throw CommandFailure(
        .input,
        "--vary \(text): `\(top)` is no part of the workload; name a "
          + "field such as network.loss, users.NAME.think or writers.NAME.rate")
    }
    let field: ScenarioField
    do throws(ScenarioError) {
      field = try document.field(path)
    } catch {
      throw CommandFailure(.input, "--vary \(text): \(error)")
    }
    self.path = path
    domain =
      field.isNumeric && values.contains("..")
      ? .range(try FieldRange(values, of: field))
      : .list(try TuningParameter.list(values, in: text) { try field.spelling(of: $0) })
  }

  /// Whether values lie between values, so that a change can be closed in.
  var isContinuous: Bool {
    if case .range = domain { return true }
    return false
  }

  /// The places to begin with: so many in each doubling, or all values of a list.
  func places(perDoubling count: Int) -> [Double] {
    switch domain {
    case .range(let range): range.places(perDoubling: count)
    case .list(let values):
      values.indices.map { Double($0) / Double(max(values.count - 1, 1)) }
    }
  }

  func text(at place: Double) -> String {
    switch domain {
    case .range(let range): range.text(at: place)
    case .list(let values): values[Int((place * Double(values.count - 1)).rounded())]
    }
  }
}

extension SimulationInput {
  /// The same with fields of its file set otherwise.
  ///
  /// - Throws: `ScenarioError` where no file may say that.
  func setting(_ values: [(path: String, text: String)]) throws -> SimulationInput {
    guard var document = file.document else {
      throw CommandFailure(
        .input, "\(argument): a recording is drawn from no fields; name a scenario")
    }
    for (path, text) in values { document = try document.setting(path, to: text) }
    let subject = values.map { "--vary \($0.path)=\($0.text)" }.joined(separator: " ")
    var input = self
    input.file.scenario = try document.scenario(
      vocabulary: .all, subject: "\(file.path) with \(subject)")
    return input
  }
}
