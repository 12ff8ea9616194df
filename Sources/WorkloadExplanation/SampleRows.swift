import CacheModel
import Text
import Workloads

/// A few drawn rows and events of an app, to look at.
struct SampleRows {
  private let workload: Workload

  init(_ workload: Workload) {
    self.workload = workload
  }

  /// One state of each type.
  var rows: [String] {
    workload.model.types.indices.compactMap { type in
      let first = workload.catalog.revisions.prefix(workload.catalog.initialCount).firstIndex {
        self.type(of: $0.object) == type
      }
      return first.map { state($0) }
    }
  }

  /// The first commits after the warm-up.
  var events: [String] {
    let begin = Instant.zero.advanced(by: workload.warmUp)
    return workload.mutations.drop { $0.at < begin }.prefix(6).map { mutation in
      let items = workload.items[mutation.items].prefix(2).map { item in
        item.revision == MutationItem.deleted
          ? "\(name(of: item.object)) goes" : state(Int(item.revision))
      }
      let rest = mutation.items.count - items.count
      return "\(Words.about(Double(mutation.at.nanoseconds) / 1e9)) s, device "
        + "\(mutation.device), \(mutation.bytes) B: \(items.joined(separator: " with "))"
        + (rest > 0 ? " and \(Words.grouped(rest)) more" : "")
    }
  }

  private func type(of object: UInt32) -> Int {
    Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
  }

  private func name(of object: UInt32) -> String {
    "\(workload.model.types[type(of: object)].name) \(object)"
  }

  private func state(_ revision: Int) -> String {
    let catalog = workload.catalog
    let object = catalog.revisions[revision].object
    let fields = workload.model.types[type(of: object)].fields.compactMap { field -> String? in
      let slot = field.slot
      let word = catalog.values[Int(catalog.valueStarts[revision]) + slot]
      return "\(field.name) \(value(word, field))"
    }
    return "\(name(of: object)) (\(catalog.revisions[revision].bytes) B"
      + "\(summary(ofState: revision))): \(fields.joined(separator: ", "))"
  }

  /// What lists show of it that show no more.
  private func summary(ofState revision: Int) -> String {
    let state = workload.catalog.revisions[revision]
    let type = workload.model.types[type(of: state.object)]
    return type.summary.map { ", \($0.bytes(ofWhole: Int(state.bytes))) B in lists" } ?? ""
  }

  /// In seconds from the beginning of the run.
  private func time(_ seconds: Double) -> String {
    seconds < 0
      ? "\(Words.about(seconds: -seconds)) before the run"
      : "\(Words.about(seconds: seconds)) into it"
  }

  private func value(_ word: UInt64, _ field: ModelField) -> String {
    switch field.content {
    case .integer: Words.grouped(Int(OrderedWord.number(word)))
    case .time: time(Double(OrderedWord.number(word)) / 1e3)
    case .text: LetterCode.decode(word)
    case .flag: word == 0 ? "no" : "yes"
    case .one:
      word == UInt64(Revision.noObject)
        ? "nothing" : name(of: UInt32(truncatingIfNeeded: word))
    case .many:
      Words.list(
        workload.catalog.labels[LabelRange(word: word).indices].prefix(4).map { name(of: $0) })
        + (LabelRange(word: word).count > 4 ? " …" : "")
    }
  }
}
