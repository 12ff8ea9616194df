import CacheModel
import Foundation
import GRDB
import NormalizedCache

/// The cache's values as SQLite's, and back without trust: a damaged row is corruption, not a trap.
extension UniqueID {
  var data: Data {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
  }
}

extension UInt64 {
  var signed: Int64 { Int64(bitPattern: self) }
}

extension Row {
  private func value(_ index: Int) -> DatabaseValue { self[index] }

  func isNull(_ index: Int) -> Bool { value(index).isNull }

  func number<Number: FixedWidthInteger>(_ index: Int) throws -> Number {
    guard case .int64(let stored) = value(index).storage, let number = Number(exactly: stored)
    else { throw DatabaseError.corruption("column \(index) holds no number of its kind") }
    return number
  }

  /// A count of events, which cannot have come near the end of its range.
  func count(_ index: Int) throws -> UInt32 {
    let count: UInt32 = try number(index)
    guard count <= .max / 2 else {
      throw DatabaseError.corruption("column \(index) counts \(count) events")
    }
    return count
  }

  func flag(_ index: Int) throws -> Bool { try number(index) as Int64 != 0 }

  func unsigned(_ index: Int) throws -> UInt64 { UInt64(bitPattern: try number(index) as Int64) }

  func data(_ index: Int) throws -> Data {
    guard case .blob(let data) = value(index).storage else {
      throw DatabaseError.corruption("column \(index) holds no bytes")
    }
    return data
  }

  func bytes(_ index: Int) throws -> [UInt8] { [UInt8](try data(index)) }

  func id(_ index: Int) throws -> UniqueID {
    let data = try data(index)
    guard data.count == 16 else {
      throw DatabaseError.corruption("column \(index) holds \(data.count) bytes, not 16")
    }
    let words = data.withUnsafeBytes { bytes in
      (
        bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      )
    }
    return UniqueID(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
  }

  func key(_ index: Int) throws -> EntityKey {
    EntityKey(type: ResourceType(rawValue: try number(index)), id: try id(index + 1))
  }

  func version(_ index: Int) throws -> Version {
    Version(clock: try unsigned(index), device: try unsigned(index + 1))
  }

  func position(_ index: Int) throws -> StreamPosition {
    StreamPosition(epoch: try number(index), sequence: try unsigned(index + 1))
  }

  func instant(_ index: Int) throws -> Instant { Instant(nanoseconds: try number(index)) }
}

extension DatabaseError {
  static func corruption(_ message: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: message)
  }
}
