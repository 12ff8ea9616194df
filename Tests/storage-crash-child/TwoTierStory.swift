import CacheTestSupport
import Foundation
import TwoTierCache

/// Sets numbered values in a two-tier cache at full speed, from a number on.
///
/// It says `taken N` before it sets the value of a number, and `written N` when all up to it are in files.
enum TwoTierStory {
  static func tell(_ arguments: [String]) async throws {
    guard arguments.count == 2, let first = UInt64(arguments[1]) else {
      print("usage: storage-crash-child two-tier FOLDER FIRST")
      exit(2)
    }
    var options = TwoTierOptions()
    options.memoryLimit = .entries(4)
    options.cleanUpWrites = 20
    let cache = try TwoTierCache<String, Data>(
      identifier: NumberedValue.identifier, folder: URL(fileURLWithPath: arguments[0]),
      options: options)
    var number = first
    while true {
      Story.say("taken \(number)")
      await cache.set(NumberedValue.data(number), for: NumberedValue.key(of: number))
      if number.isMultiple(of: 8) {
        await cache.flush()
        Story.say("written \(number)")
      }
      number += 1
    }
  }
}
