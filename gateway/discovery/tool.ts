// What every source becomes: a tool with its input schema and the place in the request each argument goes to.

export type JsonSchema = Readonly<Record<string, unknown>>

export type Style =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'tabDelimited'
  | 'deepObject'

/** Where one argument goes. */
export type Place = {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'variable'
  /** The name on the wire, which a renamed argument does not share. */
  readonly name: string
  readonly style?: Style
  readonly explode?: boolean
  readonly allowReserved?: boolean
  /** The value travels as this media type: a content-typed parameter, or the content type of a multipart part. */
  readonly contentType?: string
  /** What a part of a multipart body is called when it is a file. */
  readonly filename?: string
  /** A file: text as it is, or a base64 `data:` URI for bytes. */
  readonly binary?: true
  /** The argument is the whole body. */
  readonly whole?: true
}

/** One argument of a tool on its way into the schema and the places. */
export type Argument = {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
  readonly place: Place
}

export type Body = {
  readonly encoding: 'json' | 'form' | 'multipart' | 'raw'
  readonly mediaType: string
  /** Arguments are the properties of the body; otherwise one argument is the body. */
  readonly merged: boolean
  /** An empty merged body is then sent as one, not left out. */
  readonly required?: true
}

/** Literal text, or the argument whose value stands there. */
export type TemplatePart = string | { readonly argument: string }
export type Template = readonly TemplatePart[]

export type Annotations = {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

export type GraphqlCall = {
  readonly operation: 'query' | 'mutation'
  /** Undefined in a person's own document without a name. */
  readonly operationName: string | undefined
  /** Constant but for its selection: arguments travel as variables only. */
  readonly document: string
  /** Where the selection begins, when a caller may name another one. */
  readonly select?: {
    readonly at: number
    /** Fields whose type is a root of the schema, and those types: a selection never leads back into them. */
    readonly roots: { readonly fields: readonly string[]; readonly types: readonly string[] }
  }
}

export type DiscoveredTool = {
  /** The stored bare name. */
  readonly name: string
  readonly sourceName: string
  readonly description: string
  readonly title?: string
  readonly method?: string
  /** The path as its author wrote it; `path` is what a request is built from. */
  readonly endpoint?: string
  /** Present when the operation lives on another server than the rest of its backend. */
  readonly baseUrl?: string
  readonly path?: Template
  /** Query parameters that are part of the path, sent on every call. */
  readonly fixedQuery?: readonly { readonly name: string; readonly value: Template }[]
  readonly inputSchema: JsonSchema
  readonly places: Readonly<Record<string, Place>>
  /** Where arguments go that the schema allows without declaring them. */
  readonly undeclared?: 'query' | 'body'
  readonly body?: Body
  readonly staticHeaders?: Readonly<Record<string, string>>
  /** The exact text of a pasted request, sent while the arguments of that part still have their sample values. */
  readonly sample?: { readonly query?: string; readonly body?: string }
  /** What an upstream lists of the `structuredContent` of its results. */
  readonly outputSchema?: JsonSchema
  /** The same of an API, as the JSON text of its schema: few tools list it. */
  readonly resultSchema?: string
  readonly annotations?: Annotations
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  readonly graphql?: GraphqlCall
  /** The upstream's own name, and the fields of its entry that are not ours to interpret. */
  readonly mcp?: { readonly name: string; readonly extra: Readonly<Record<string, unknown>> }
}

/** A credential found in a pasted command or a collection, in the shape of the upstream credential. */
export type FoundCredential = (
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'header'; readonly headerName: string; readonly value: string }
) & {
  /** The `Cookie` header of the same request. */
  readonly cookie?: string
}

export type Skipped = { readonly operation: string; readonly reason: string }

export type Discovery = {
  readonly tools: readonly DiscoveredTool[]
  readonly skipped: readonly Skipped[]
  readonly warnings: readonly string[]
  /** Of the document; names the backend where the user gives no name. */
  readonly title?: string
  /** The API base the source itself names. */
  readonly baseUrl?: string
  /** The path of that base, also when its host is not known; it stays when only the host is replaced. */
  readonly basePath?: string
  readonly credential?: FoundCredential
  /** Addresses of documents that tools refer to and that were not read. */
  readonly foreign?: readonly string[]
}

/** A placeholder of a path that its source does not describe. */
export const textInPath = (name: string): Argument => ({
  name,
  schema: { type: 'string' },
  required: true,
  place: { in: 'path', name, style: 'simple', explode: false },
})

export function schemaOfArguments(list: readonly Argument[]): JsonSchema {
  const required = list.filter((argument) => argument.required).map((argument) => argument.name)
  return {
    type: 'object',
    properties: Object.fromEntries(list.map(({ name, schema }): [string, JsonSchema] => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
  }
}
