// A person's own GraphQL document: what it does, and which variables it takes.
import { GraphQLError, Kind, parse } from 'graphql'

export type GraphqlDocument = {
  readonly operation: 'query' | 'mutation' | 'subscription'
  /** Undefined for one without a name. */
  readonly name: string | undefined
  readonly variables: readonly string[]
}

const MOST_TOKENS = 20_000

/** The operation, or why no call could send it. */
export function readDocument(text: string): GraphqlDocument | { readonly problem: string } {
  try {
    const { definitions } = parse(text, { maxTokens: MOST_TOKENS, noLocation: true })
    const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
    const [only] = operations
    if (only === undefined || operations.length > 1) return { problem: 'must hold one operation, and no more' }
    if (definitions.some(({ kind }) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION))
      return { problem: 'must hold an operation and its fragments, and nothing of a schema' }
    return {
      operation: only.operation,
      name: only.name?.value,
      variables: (only.variableDefinitions ?? []).map(({ variable }) => variable.name.value),
    }
  } catch (error) {
    if (error instanceof GraphQLError) return { problem: `is not GraphQL: ${error.message.slice(0, 200)}` }
    // The parser goes as deep as the text does.
    if (error instanceof RangeError) return { problem: 'nests too deep' }
    throw error
  }
}
