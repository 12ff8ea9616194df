import Reporting
import ResultModel

/// The work of one part of a comparison: the verdict itself, a check, or one axis at a time.
struct SimulatedPart: Sendable {
  let scenario: String
  let name: String
  let work: SimulatedWork

  init(_ name: String, of result: ComparisonResult) {
    scenario = result.comparison.input.name
    self.name = name
    work = result.work
  }
}

extension [SimulatedPart] {
  /// Returns the runs and processor seconds of each scenario and part; the most expensive scenario first.
  func table(style: TextStyle) -> String {
    func total(_ parts: [SimulatedPart]) -> SimulatedWork {
      parts.reduce(into: SimulatedWork()) { $0 += $1.work }
    }
    let names = distinct(\.name)
    var table = TextTable(
      columns: [.init("scenario"), .init("runs", .right), .init("seconds", .right)]
        + names.map { .init($0, .right) })
    func text(_ work: SimulatedWork) -> String {
      HumanNumber.fixed(work.processorSeconds, decimals: 1)
    }
    func add(_ title: String, _ parts: [SimulatedPart]) {
      let all = total(parts)
      let cells = names.map { name in
        let work = total(parts.filter { $0.name == name })
        return work.simulations == 0 ? "" : "\(work.simulations) in \(text(work))"
      }
      table.append(
        ([title, String(all.simulations), text(all)] + cells).map { TextTable.Cell($0) })
    }
    let scenarios = distinct(\.scenario).map { name in (name, filter { $0.scenario == name }) }
    for (name, parts) in scenarios.sorted(by: {
      total($0.1).processorSeconds > total($1.1).processorSeconds
    }) {
      add(name, parts)
    }
    add("all", self)
    return table.withoutEmptyColumns().terminal(style: style)
  }
}
