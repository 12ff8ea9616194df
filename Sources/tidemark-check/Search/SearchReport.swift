import CommandLineInterface
import FaultSearch
import Reporting
import ResultModel

/// What a search did, for a person: how much, how fast, and whether any kind of step was idle.
struct SearchReport {
  private let search: SeedSearch
  private let firstSeed: UInt64

  init(_ search: SeedSearch, firstSeed: UInt64) {
    self.search = search
    self.firstSeed = firstSeed
  }

  func text(style: TextStyle) -> String {
    let tally = search.tally
    let speed = search.seconds > 0 ? Double(tally.steps) / search.seconds : 0
    let last = firstSeed + UInt64(max(search.seeds, 1)) - 1
    let verdict =
      search.findings.isEmpty ? style.paint("no promise is broken", .good) : "a promise is broken"
    return """
      \(count(search.seeds)) seeds (\(firstSeed) to \(last)), \(count(tally.steps)) steps in \
      \(HumanNumber.duration(nanoseconds: search.seconds * 1e9)), \
      \(count(Int(speed))) steps per second: \(verdict)
      \(count(tally.eventsApplied)) events applied, \(count(tally.reconciles)) reconciles, \
      \(count(tally.evictions)) evictions, \(count(tally.notifications)) notifications, \
      \(count(tally.confirmations)) answers confirmed


      """ + kinds.terminal(style: style, indent: 2) + "\n"
  }

  private var kinds: TextTable {
    var table = TextTable(columns: [
      .init("step"), .init("taken", .right), .init("did something", .right),
    ])
    for (index, kind) in StepKind.allCases.enumerated() {
      let taken = search.tally.taken[index]
      let share = taken > 0 ? Double(search.tally.effective[index]) / Double(taken) : 0
      table.append([kind.rawValue, count(taken), HumanNumber.percent(share)])
    }
    return table
  }

  private func count(_ number: Int) -> String { HumanNumber.count(Double(number)) }
}
