import CacheModel
import CacheSimulation
import NormalizedCache
import Workloads

/// Reduces a failing case: fewer steps, a simpler policy, simpler values.
///
/// Every candidate is run, and kept if it violates the same property; steps without their target are skipped,
/// so every candidate is a program.
package struct Shrinker {
  package private(set) var smallest: FaultCase
  package private(set) var divergence: Divergence
  /// The number of candidates that may still be run.
  private var attempts: Int
  private let run: (FaultCase) -> Divergence?

  package init(
    _ faultCase: FaultCase, _ divergence: Divergence, attempts: Int = 10_000,
    run: @escaping (FaultCase) -> Divergence? = { FaultSearch.replay($0) }
  ) {
    smallest = faultCase
    self.divergence = divergence
    self.attempts = attempts
    self.run = run
  }

  /// Reduces until no candidate is smaller, or no attempt is left.
  package mutating func shrink() {
    var before: FaultCase
    repeat {
      before = smallest
      removeSteps()
      simplifyComposition()
      simplifySteps()
    } while smallest != before && attempts > 0
  }

  /// Keeps a candidate that fails in the same way; returns whether it does.
  private mutating func keep(_ candidate: FaultCase) -> Bool {
    guard attempts > 0, candidate != smallest else { return false }
    attempts -= 1
    guard let found = run(candidate), found.promise == divergence.promise else { return false }
    smallest = candidate
    divergence = found
    return true
  }

  /// Removes the steps after the failure, then unnecessary ones.
  private mutating func removeSteps() {
    if divergence.step + 1 < smallest.steps.count {
      var candidate = smallest
      candidate.steps.removeSubrange((divergence.step + 1)...)
      _ = keep(candidate)
    }
    let whole = smallest
    var reduction = StepReduction(trials: attempts)
    _ = reduction.reduce(whole.steps.count) { places in
      var candidate = whole
      candidate.steps = places.map { whole.steps[$0] }
      return keep(candidate)
    }
  }

  private mutating func simplifyComposition() {
    var withoutStorage = smallest
    withoutStorage.storage = nil
    _ = keep(withoutStorage)
    for simplification in Simplification.ofCompositions {
      var candidate = smallest
      simplification(&candidate.composition)
      _ = keep(candidate)
    }
    for index in smallest.shapes.indices {
      for simplification in Simplification.ofShapes {
        var candidate = smallest
        simplification(&candidate.shapes[index])
        _ = keep(candidate)
      }
    }
  }

  private mutating func simplifySteps() {
    for index in smallest.steps.indices {
      var rest = Simplification.simpler(smallest.steps[index])[...]
      while let step = rest.popFirst() {
        var candidate = smallest
        candidate.steps[index] = step
        if keep(candidate) { rest = Simplification.simpler(step)[...] }
      }
    }
  }
}

/// Simpler versions of steps and policies.
enum Simplification {
  /// Simplifies one part of the policy, then one axis after another.
  static let ofCompositions: [@Sendable (inout CachePolicy) -> Void] =
    parts + PolicyAxis.all.map { plain($0) } + [
      { $0.capacity.lowWatermark = $0.capacity.highWatermark }, { $0.retention = .observed },
    ]

  private static let parts: [@Sendable (inout CachePolicy) -> Void] = [
    { $0.capacity = .unlimited },
    { $0.releaseBuffer = nil },
    { $0.releaseBuffer?.reads = .ignored },
    { $0.freshness = .neverExpires },
    { $0.freshness.perMethod = [:] },
    { $0.batchRules = [:] },
    { $0.batchRules[.index] = nil },
    { $0.batchRules[.watcher] = nil },
    { $0.batchRules[.user] = nil },
  ]

  /// Sets an axis to its simplest value, if the rest of the policy permits it.
  private static func plain(_ axis: PolicyAxis) -> @Sendable (inout CachePolicy) -> Void {
    { composition in
      var plainer = composition
      if let value = axis.read(.plainest) { axis.write(&plainer, value) }
      if (try? plainer.validate()) != nil { composition = plainer }
    }
  }

  /// Simplifies one part of a declared shape after another.
  static let ofShapes: [@Sendable (inout NoteShape) -> Void] = [
    { $0.isPaged = false },
    { $0.rows = 100 },
    { $0.bound = nil },
    { $0.star = nil },
    { $0.subject = .nothing },
    { $0.types = .both },
    { if $0.order.count > 1 { $0.order.removeLast() } },
    { $0.order = [NoteShape.Order(field: .title, isDescending: false)] },
  ]

  /// Returns simpler steps; each is strictly simpler, so the search terminates.
  static func simpler(_ step: Step) -> [Step] {
    switch step {
    case .publish(let server, let commit, let event, let telling):
      let quieter: [Telling] = telling == .sent || telling == .lost ? [] : [.sent]
      return quieter.map { .publish(server: server, commit, event: event, $0) }
        + simpler(commit).map { .publish(server: server, $0, event: event, telling) }
    case .begin(let number, let server, let edits, let timeout):
      let fewer = edits.count > 1 ? edits.indices.map { removing($0, from: edits) } : []
      return (timeout == nil ? [] : [.begin(mutation: number, server: server, edits, timeout: nil)])
        + fewer.map { .begin(mutation: number, server: server, $0, timeout: timeout) }
    case .enqueue(let number, let server, let edits):
      let fewer = edits.count > 1 ? edits.indices.map { removing($0, from: edits) } : []
      return fewer.map { .enqueue(mutation: number, server: server, $0) }
    case .wait(let milliseconds):
      return milliseconds > 0
        ? [.wait(milliseconds: 0), .wait(milliseconds: milliseconds / 2)] : []
    case .relaunch(let isWritten, let pause):
      return pause > 0 ? [.relaunch(isWritten: isWritten, pause: 0)] : []
    case .answer(let target, let index):
      return index > 0 ? [.answer(target, index: 0)] : []
    case .fail(let target, let index):
      return index > 0 ? [.fail(target, index: 0)] : []
    default:
      return []
    }
  }

  private static func simpler(_ commit: Commit) -> [Commit] {
    switch commit {
    case .change(let writes):
      simpler(writes).map { .change($0) }
    case .delete(let numbers):
      numbers.indices.filter { _ in numbers.count > 1 }.map { index in
        .delete(removing(index, from: numbers))
      }
    case .bulk(let writes, let token):
      // The token is unchanged: two operations with one token are one, and would fail for another reason.
      [.change(writes)] + simpler(writes).map { .bulk($0, token: token) }
    case .partlyDecoded(let writes, let undecodable):
      [.change(writes)] + simpler(writes).map { .partlyDecoded($0, undecodable: undecodable) }
    case .infrastructure:
      []
    }
  }

  private static func simpler(_ writes: [NoteWrite]) -> [[NoteWrite]] {
    let fewer = writes.indices.map { removing($0, from: writes) }
    let plainer = writes.indices.flatMap { index in
      simpler(writes[index].note).map { note in
        var writes = writes
        writes[index].note = note
        return writes
      }
    }
    return (writes.count > 1 ? fewer : []) + plainer
  }

  private static func simpler(_ note: Note) -> [Note] {
    let plain = Note(folder: 0, title: "a")
    var candidates = [plain]
    candidates.append(
      Note(folder: plain.folder, title: note.title, isStarred: note.isStarred, text: note.text))
    candidates.append(
      Note(folder: note.folder, title: plain.title, isStarred: note.isStarred, text: note.text))
    candidates.append(
      Note(folder: note.folder, title: note.title, isStarred: false, text: note.text))
    candidates.append(
      Note(folder: note.folder, title: note.title, isStarred: note.isStarred, text: ""))
    return candidates.filter { $0 != note }
  }

  private static func removing<Element>(_ index: Int, from list: [Element]) -> [Element] {
    var list = list
    list.remove(at: index)
    return list
  }
}
