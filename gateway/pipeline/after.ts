// Goes on at once with what is there: a promise costs more than most of what is done between two of them.
export function after<T, R>(value: T | Promise<T>, act: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(act) : act(value)
}
