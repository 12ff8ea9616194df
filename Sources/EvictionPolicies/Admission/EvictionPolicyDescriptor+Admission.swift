extension EvictionPolicyDescriptor {
  /// What joins the name of an eviction order and that of an admission: `lru+tinylfu`.
  public static let admissionSeparator: Character = "+"

  /// The same order with an admission in front of it, called `order+admission`.
  ///
  /// In a replay it runs behind a dynamic door, so it is slower than the order alone by a few
  /// nanoseconds per request.
  ///
  /// - Parameter admission: decides what the order gets to see.
  /// - Returns: `nil` where the order looks ahead, or nothing is ever evicted: there is no question
  ///   to ask. Itself where everything is admitted.
  public func admitting(by admission: AdmissionPolicyDescriptor) -> EvictionPolicyDescriptor? {
    guard admission.guardsOrders else { return self }
    guard !needsFuture, isBounded else { return nil }
    return EvictionPolicyDescriptor(order: self, admission: admission)
  }

  /// A sentence as the second half of another.
  static func continuing(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}
