import CacheModel
import Workloads

extension DesignSettings {
  /// The bytes that values may have in memory; where only entities are limited, as many as they have on average.
  func valueLimit(_ input: DesignInput) -> Int? {
    let ofEntities = capacity.entities.map { entities in
      let (bytes, overflow) = entities.multipliedReportingOverflow(by: input.meanEntityBytes)
      return overflow ? .max : bytes
    }
    return [capacity.bytes, ofEntities].compactMap(\.self).min()
  }

  /// The bytes that memory may take, for a design that counts its tables too.
  func memoryLimit(_ input: DesignInput) -> Int? {
    [capacity.memory, valueLimit(input)].compactMap(\.self).min()
  }
}
