import Foundation

/// What the system said of a failure, where Foundation says it in a sentence that names no cause.
package enum SystemReason {
  package static func text(of error: any Error) -> String {
    if let failure = error as? FileWriter.Failure { return failure.description }
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    guard let cause, cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
    return String(cString: strerror(Int32(cause.code)))
  }
}
