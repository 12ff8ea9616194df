import CacheModel
import Workloads

/// The integers of an app that left the range which they were declared with.
///
/// What is added to a number is added wherever that leads: a counter has no end.
enum IntegerRanges {
  /// A line for each field of which some state lies outside.
  static func lines(_ workload: Workload) -> [String] {
    let catalog = workload.catalog
    return workload.model.types.enumerated().flatMap { place, type in
      type.fields.compactMap { field -> String? in
        guard case .integer(let initial) = field.content else { return nil }
        let range =
          min(
            initial.lowerBound, field.starts?.lowerBound ?? initial.lowerBound)...max(
            initial.upperBound, field.starts?.upperBound ?? initial.upperBound)
        var (outside, least, most) = (0, range.lowerBound, range.upperBound)
        var objects = Set<UInt32>()
        for (revision, state) in catalog.revisions.enumerated()
        where Int(catalog.objects[Int(state.object)].type.rawValue) - 1 == place {
          let number = OrderedWord.number(
            catalog.values[Int(catalog.valueStarts[revision]) + field.slot])
          guard !range.contains(number) else { continue }
          outside += 1
          least = min(least, number)
          most = max(most, number)
          objects.insert(state.object)
        }
        guard outside > 0 else { return nil }
        let extremes = [
          least < range.lowerBound ? "down to \(Words.grouped(Int(least)))" : nil,
          most > range.upperBound ? "up to \(Words.grouped(Int(most)))" : nil,
        ].compactMap { $0 }
        return "\(type.name).\(field.name) leaves its declared range in "
          + "\(Words.count(outside, "state")) of \(Words.count(objects.count, type.name)), "
          + "\(Words.list(extremes))."
      }
    }
  }
}
