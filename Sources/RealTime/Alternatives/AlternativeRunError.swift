/// Why a design has no figures: a wrong result is not a fast one.
package enum AlternativeRunError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not all ten observers of a listing were called for an event.
  case observersNotCalled(event: Int, directory: Int)
  /// The design did not say that it had committed an event.
  case notCommitted(event: Int)
  /// A listing is not what the events make of it.
  case wrongListing(directory: Int)

  package var description: String {
    switch self {
    case .observersNotCalled(let event, let directory):
      "event \(event) changed directory \(directory), and not all of its observers were called "
        + "within 5 seconds; what the design does is wrong, so it has no figures"
    case .notCommitted(let event):
      "event \(event) was not committed when its observers had been called; see `AlternativeCache`"
    case .wrongListing(let directory):
      "the listing of directory \(directory) is not what the events make of it; what the design "
        + "does is wrong, so it has no figures"
    }
  }
}
