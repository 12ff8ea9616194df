import CacheModel
import NormalizedCache
import Workloads

/// What is simpler than a step, or a composition.
enum Simplification {
  /// A part of it becomes its plainest, then one axis after the other.
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

  /// The plainest value of an axis, where the rest of the composition allows it.
  private static func plain(_ axis: PolicyAxis) -> @Sendable (inout CachePolicy) -> Void {
    { composition in
      var plainer = composition
      if let value = axis.read(.plainest) { axis.write(&plainer, value) }
      if (try? plainer.validate()) != nil { composition = plainer }
    }
  }

  /// One part of a declared shape after the other becomes its plainest.
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

  /// Steps that do less, or say it in fewer words; each is simpler than the step, so trying ends.
  static func simpler(_ step: Step) -> [Step] {
    switch step {
    case .publish(let server, let happening, let message, let telling):
      let quieter: [Telling] = telling == .sent || telling == .lost ? [] : [.sent]
      return quieter.map { .publish(server: server, happening, message: message, $0) }
        + simpler(happening).map { .publish(server: server, $0, message: message, telling) }
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

  private static func simpler(_ happening: Happening) -> [Happening] {
    switch happening {
    case .change(let writes):
      simpler(writes).map { .change($0) }
    case .delete(let numbers):
      numbers.indices.filter { _ in numbers.count > 1 }.map { index in
        .delete(removing(index, from: numbers))
      }
    case .bulk(let writes, let token):
      // Not the token: two operations of one token are one, and would fail for another reason.
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
