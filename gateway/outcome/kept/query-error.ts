// What a question may cost, and why one has no answer.

/** What cannot be answered, in words for the caller. */
export class QueryError extends Error {}

/** Steps on values: seconds of a thread at most, for any question and any data. */
const MOST_WORK = 50_000_000

export class Work {
  private left: number
  constructor(most = MOST_WORK) {
    this.left = most
  }
  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) throw new QueryError('The question takes too much work. Name a path to fewer values first')
  }
}
