import CacheFiles

/// The bytes before a value in its file, by which a damaged one is told from a sound one, whatever the value.
///
/// 40 bytes: a word that names the format and its version, and the digest of the file's name and the value. A
/// sound file under another's name is damaged too.
package enum Seal {
  package static let word = Array("TwoTier1".utf8)
  package static let byteCount = word.count + FileName.digestBytes
}
