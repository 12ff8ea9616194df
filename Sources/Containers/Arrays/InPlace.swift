/// A value where it lies, lent to a function: a copy of a value counts references to all that it holds,
/// and this cannot be copied.
///
/// Its value is to be used in a function that has it as a `borrowing` parameter; elsewhere Swift 6.3
/// copies what is read through an address.
public struct InPlace<Value>: ~Copyable {
  public let value: Value
}

/// The elements of an array where they lie.
///
/// One of the few types that hold unsafe memory: it keeps the array as long as its address.
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

/// Calls `body` with a variable's value where it lies.
@inlinable @inline(__always) public func withValueInPlace<Value, Result>(
  _ variable: inout Value, _ body: (borrowing InPlace<Value>) -> Result
) -> Result {
  withUnsafeMutablePointer(to: &variable) {
    body(UnsafeRawPointer($0).assumingMemoryBound(to: InPlace<Value>.self).pointee)
  }
}
