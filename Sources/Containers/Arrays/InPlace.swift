/// A value borrowed in place for a function: a copy would count references to everything in it, and this type
/// cannot be copied.
///
/// Use its value in a function that has it as a `borrowing` parameter; elsewhere Swift 6.3 copies values read
/// through an address.
public struct InPlace<Value>: ~Copyable {
  public let value: Value
}

/// The elements of an array in place.
///
/// One of the few types with unsafe memory: it keeps the array alive as long as its address.
public struct ElementsInPlace<Element>: ~Copyable {
  @usableFromInline let array: [Element]
  @usableFromInline let base: UnsafePointer<InPlace<Element>>?

  @inlinable @inline(__always) public init(_ array: [Element]) {
    self.array = array
    base = array.withUnsafeBufferPointer {
      UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: InPlace<Element>.self)
    }
  }

  @inlinable public var count: Int { @inline(__always) get { array.count } }

  @inlinable public subscript(index: Int) -> InPlace<Element> {
    @inline(__always) _read {
      guard let base, array.indices.contains(index) else {
        preconditionFailure("index out of range")
      }
      yield base[index]
    }
  }
}

/// Calls `body` with a variable's value in place.
@inlinable @inline(__always) public func withValueInPlace<Value, Result>(
  _ variable: inout Value, _ body: (borrowing InPlace<Value>) -> Result
) -> Result {
  withUnsafeMutablePointer(to: &variable) {
    body(UnsafeRawPointer($0).assumingMemoryBound(to: InPlace<Value>.self).pointee)
  }
}
