import Crypto
package import Foundation

/// SHA-256: what files are named by, and told sound by.
package enum FileDigest {
  /// The digest of parts, one after the other.
  package static func of(_ parts: Data...) -> [UInt8] {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    return Array(hash.finalize())
  }
}
