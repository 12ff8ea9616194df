public import Foundation

/// A value that a two-tier cache can keep in a file.
///
/// What ``init(data:)`` makes of ``data`` should be equal to the value. `Data` is one at no cost.
public protocol CachedValue: Sendable {
  /// The value as bytes.
  var data: Data { get }

  /// The value of such bytes.
  ///
  /// - Throws: anything where these are none; the file that they came from is removed then.
  init(data: Data) throws
}

extension Data: CachedValue {
  public var data: Data { self }

  public init(data: Data) { self = data }
}
