/// The content of each part of an entity's states, as numbers: equal ones for equal content.
enum PartContents {
  /// Numbers the contents of each state's parts.
  ///
  /// The first content is 0, and a new one has the next number, so that one that comes back has its former number.
  /// A field without a part belongs to the first.
  static func of(
    _ states: [ChangeInference.State], _ parts: [Int32: Int]
  ) -> [[Int64]] {
    let count = (parts.values.max() ?? 0) + 1
    var sums = [UInt64](repeating: 0, count: count)
    // The number of each content; looked up, never iterated.
    var known = [[UInt64: Int64]](repeating: [0: 0], count: count)
    return states.map { state in
      for change in state.changed { sums[parts[change.name] ?? 0] &+= change.difference }
      return sums.indices.map { part in
        let number = known[part][sums[part]] ?? Int64(known[part].count)
        known[part][sums[part]] = number
        return number
      }
    }
  }
}
