import CacheModel
import NormalizedCache
import Processes
import ResultModel
import Synchronization
import Testing

@testable import RealTime

@Suite("A design under events")
struct DesignRunTests {
  private static let workload = AlternativeWorkload(
    name: "small", directories: 3, filesPerDirectory: 4, observed: 2, filesPerEvent: 1)

  private static var run: AlternativeRun {
    var run = AlternativeRun(workload: workload, seed: 1)
    run.warmUp = 2
    run.hot = 30
    run.paced = 10
    run.rate = 20_000
    // A loaded machine takes as long as it takes.
    run.limit = .seconds(3600)
    return run
  }

  @Test("A correct design is timed")
  func honest() async throws {
    let samples = try await Self.run.run { PlainDesign(library: $0) }
    #expect(samples.hot.count == 30)
    #expect(samples.paced.count == 10)
    #expect(samples.paced.allSatisfy { ($0.response ?? 0) >= $0.total })
  }

  @Test("A wrong listing is an error, not a figure")
  func wrongListing() async throws {
    let error = await #expect(throws: AlternativeRunError.self) {
      _ = try await Self.run.run { PlainDesign(library: $0, fault: .losesAChange) }
    }
    guard case .wrongListing = error else {
      Issue.record("thrown: \(String(describing: error))")
      return
    }
  }

  @Test("An observer that is not called is an error, not a figure")
  func silentObserver() async throws {
    let error = await #expect(throws: AlternativeRunError.self) {
      _ = try await Self.run.run { PlainDesign(library: $0, fault: .forgetsAnObserver) }
    }
    guard case .observersNotCalled = error else {
      Issue.record("thrown: \(String(describing: error))")
      return
    }
  }

  @Test("Each round has its own events, the same in every run")
  func script() {
    let library = Self.workload.library(seed: 1)
    func events(round: UInt64) -> [Int] {
      var script = AlternativeScript(
        library: library, workload: Self.workload,
        random: RandomSource(seed: 1).substream("design-events", round))
      return (0..<50).map { _ in script.next().directory }
    }
    #expect(events(round: 0) == events(round: 0))
    #expect(events(round: 0) != events(round: 1))
    #expect(Set(events(round: 0)) == [0, 1])
  }

  @Test("Samples are read back as they were written, or not at all")
  func text() throws {
    var samples = AlternativeSamples()
    samples.hot = [.init(apply: 1, notify: 2), .init(apply: 3, notify: 0)]
    samples.paced = [.init(apply: 4, notify: 5, response: 60)]
    #expect(try AlternativeSamples(text: samples.text) == samples)
    for broken in [
      "", "end\n", String(samples.text.dropLast(4)),
      samples.text.replacing("hot\t1\t2", with: "hot\t1"),
      samples.text.replacing("hot\t1\t2", with: "hot\t1\t-2"),
      samples.text.replacing("paced\t4\t5\t60", with: "paced\t4\t5"),
    ] {
      #expect(throws: ChildTextError.self) { try AlternativeSamples(text: broken) }
    }
  }

  @Test("The board counts a listing as notified when all ten were called, in any order")
  func board() {
    let board = ObserverBoard(listings: 2, clock: ContinuousCacheClock())
    let observers = (0..<ObserverBoard.observersPerListing).map { board.observer($0, of: 1) }
    board.begin(1)
    for observer in observers.dropFirst().reversed() { observer() }
    observers[1]()
    #expect(board.notified(1) == nil)
    observers[0]()
    #expect(board.notified(1) != nil)
    #expect(board.notified(0) == nil)
    #expect(board.committed == nil)
    board.begin(1)
    #expect(board.notified(1) == nil)
  }

  @Test("A result has a distribution for each stage and pace; a control only for the whole way")
  func rows() {
    var samples = AlternativeSamples()
    samples.hot = (0..<40).map { _ in .init(apply: 10, notify: 5) }
    samples.paced = (0..<40).map { _ in .init(apply: 20, notify: 7, response: 100) }
    var result = AlternativeResult(design: "d", isControl: false, workload: "w")
    result.rounds = [samples, samples]
    let medians = result.rows(scenario: "alternatives", seed: 1).filter { $0.statistic == .p50 }
    #expect(
      medians.map { "\($0.metric) \($0.class) \($0.value?.asDouble ?? -1)" } == [
        "apply w/hot 10.0", "notify w/hot 5.0", "event_cost w/hot 15.0", "apply w 20.0",
        "notify w 7.0", "event_cost w 27.0", "response_time w 100.0",
      ])
    #expect(medians.allSatisfy { $0.policy == "d" && $0.sampleCount == 80 })
    result.isControl = true
    let control = result.rows(scenario: "alternatives", seed: 1).filter { $0.statistic == .p50 }
    #expect(control.map(\.metric) == [.controlEventCost, .controlEventCost])
    #expect(control.allSatisfy { $0.policy.isEmpty })
    for row in result.rows(scenario: "alternatives", seed: 1) {
      #expect(row.metric.statistics.contains(row.statistic))
    }
  }
}

/// Does what a design must do, or makes one mistake.
private final class PlainDesign: AlternativeCache {
  enum Fault {
    case losesAChange, forgetsAnObserver
  }

  private struct State {
    var files: [[VersionedEntity<FilePayload>]]
    var observers: [[@Sendable () -> Void]]
    var events = 0
  }

  private let state: Mutex<State>
  private let library: FileLibrary
  private let fault: Fault?

  init(library: FileLibrary, fault: Fault? = nil) {
    self.library = library
    self.fault = fault
    let files = (0..<library.directories).map { library.response(toDirectory: $0).entities }
    state = Mutex(State(files: files, observers: files.map { _ in [] }))
  }

  func observe(directory: Int, _ observer: ObserverBoard.Observer) {
    state.withLock { $0.observers[directory].append { observer() } }
  }

  func apply(_ event: FileEvent, committed: @escaping @Sendable () -> Void) {
    let observers = state.withLock { state in
      state.events += 1
      // The last event of the run, so that none repairs it.
      let isLost = fault == .losesAChange && state.events == 42
      var told: [@Sendable () -> Void] = []
      event.forEachFile { file in
        for directory in state.files.indices {
          guard let row = state.files[directory].firstIndex(where: { $0.key == file.key }) else {
            continue
          }
          if !isLost { state.files[directory][row] = file }
          told += state.observers[directory]
        }
      }
      return fault == .forgetsAnObserver && state.events == 20 ? Array(told.dropFirst()) : told
    }
    committed()
    for observer in observers { observer() }
  }

  func listing(ofDirectory directory: Int) -> [ListedFile]? {
    state.withLock { $0.files[directory].map { ListedFile($0) } }
  }

  func close() {}
}
