/// Sizes the parts of a policy.
enum Share {
  /// A percentage of a capacity, rounded down; a byte capacity times a hundred may not fit.
  ///
  /// `nil`, which is no limit, has parts without limit.
  static func percent(_ percent: Int, of capacity: Int?) -> Int {
    guard let capacity else { return .max }
    return capacity / 100 * percent + capacity % 100 * percent / 100
  }
}
