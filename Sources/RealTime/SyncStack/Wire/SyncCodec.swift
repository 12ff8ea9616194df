package import FoundationEssentials
import Processes

/// Turns lines into messages.
///
/// One per task: it holds a JSON decoder.
package struct SyncDecoder {
  private let decoder = JSONDecoder()

  package init() {
    decoder.dateDecodingStrategy = .iso8601
  }

  /// Reads one line.
  ///
  /// - Parameter line: without its end.
  /// - Returns: what it says.
  /// - Throws: ``SyncProtocolError``.
  package func message(from line: Data) throws(SyncProtocolError) -> SyncMessage {
    do {
      return try decoder.decode(SyncMessage.self, from: line)
    } catch let error as SyncProtocolError {
      throw error
    } catch let error as DecodingError {
      throw .malformed(Self.explanation(of: error))
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// What is wrong and where, in one short line: a hostile line must not fill a log.
  private static func explanation(of error: DecodingError) -> String {
    let (what, context): (String, DecodingError.Context) =
      switch error {
      case .typeMismatch(let type, let context): ("a value is no \(type)", context)
      case .valueNotFound(let type, let context): ("a \(type) is null", context)
      case .keyNotFound(let key, let context): ("\"\(key.stringValue)\" is missing", context)
      case .dataCorrupted(let context): ("it is no JSON that this version can read", context)
      @unknown default: ("it cannot be decoded", .init(codingPath: [], debugDescription: ""))
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return String((path.isEmpty ? what : "\(what), at \(path)").prefix(200))
  }
}

/// Turns messages into lines.
///
/// One per task: it holds a JSON encoder.
package struct SyncEncoder {
  private let encoder = JSONEncoder()

  package init() {
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.withoutEscapingSlashes]
  }

  /// The message with the end of its line.
  ///
  /// - Throws: what the JSON encoder throws, as for a number that JSON cannot say.
  package func line(of message: SyncMessage) throws -> Data {
    var line = try encoder.encode(message)
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
