// What the services of the built-in templates publish, as far as it is not beside the project: names, arguments and addresses as they document them.

/** https://github.com/open-meteo/open-meteo/blob/main/openapi.yml: one path, with a server of its own. */
export const OPEN_METEO = (server: string): string => `
openapi: 3.0.0
info: { title: Open-Meteo APIs, version: '1.0' }
paths:
  /v1/forecast:
    servers:
      - url: ${server}
    get:
      tags: [Weather Forecast APIs]
      summary: 7 day weather forecast for coordinates
      parameters:
      - { name: hourly, in: query, explode: false, schema: { type: array, items: { type: string, enum: [temperature_2m, precipitation] } } }
      - { name: daily, in: query, schema: { type: array, items: { type: string, enum: [sunrise, sunset] } } }
      - { name: latitude, in: query, required: true, description: "WGS84 coordinate", schema: { type: number, format: double } }
      - { name: longitude, in: query, required: true, description: "WGS84 coordinate", schema: { type: number, format: double } }
      - { name: current_weather, in: query, schema: { type: boolean } }
      - { name: temperature_unit, in: query, schema: { type: string, default: celsius, enum: [celsius, fahrenheit] } }
      - { name: timezone, in: query, schema: { type: string } }
      - { name: past_days, in: query, schema: { type: integer, enum: [1, 2] } }
      responses:
        200:
          description: OK
          content: { application/json: { schema: { type: object, properties: { hourly: { type: HourlyResponse } } } } }
`

/** https://github.com/trevorblades/countries/blob/main/src/schema.ts */
export const COUNTRIES = `
  type Continent { code: ID! name: String! countries: [Country!]! }
  type Subdivision { code: ID! name: String! emoji: String }
  type Country {
    code: ID! name(lang: String): String! native: String! phone: String! phones: [String!]! capital: String currency: String
    currencies: [String!]! emoji: String! emojiU: String! continent: Continent! languages: [Language!]! states: [State!]!
    awsRegion: String! subdivisions: [Subdivision!]!
  }
  type Language { code: ID! name: String! native: String! rtl: Boolean! countries: [Country!]! }
  type State { name: String! code: String country: Country! }
  input StringQueryOperatorInput { eq: String ne: String in: [String!] nin: [String!] regex: String }
  input CountryFilterInput {
    code: StringQueryOperatorInput name: StringQueryOperatorInput currency: StringQueryOperatorInput continent: StringQueryOperatorInput
  }
  input ContinentFilterInput { code: StringQueryOperatorInput }
  input LanguageFilterInput { code: StringQueryOperatorInput }
  type Query {
    continents(filter: ContinentFilterInput = {}): [Continent!]!
    continent(code: ID!): Continent
    countries(filter: CountryFilterInput = {}): [Country!]!
    country(code: ID!): Country
    languages(filter: LanguageFilterInput = {}): [Language!]!
    language(code: ID!): Language
  }
`

const text = (description: string) => ({ type: 'string', description })
const takes = (properties: Record<string, unknown>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
})

/** https://docs.devin.ai/work-with-devin/deepwiki-mcp */
export const DEEPWIKI = [
  {
    name: 'read_wiki_structure',
    description: 'Get a list of documentation topics for a GitHub repository',
    inputSchema: takes({ repoName: text('GitHub repository: owner/repo') }, ['repoName']),
  },
  {
    name: 'read_wiki_contents',
    description: 'View documentation about a GitHub repository',
    inputSchema: takes({ repoName: text('GitHub repository: owner/repo') }, ['repoName']),
  },
  {
    name: 'ask_question',
    description: 'Ask any question about a GitHub repository',
    inputSchema: takes({ repoName: text('GitHub repository: owner/repo'), question: text('The question') }, [
      'repoName',
      'question',
    ]),
  },
]

/** As @upstash/context7-mcp 4.1.1 lists them. */
export const CONTEXT7 = [
  {
    name: 'resolve-library-id',
    title: 'Resolve Context7 Library ID',
    description:
      "Resolves a package name to a library ID.\n\nYou MUST call this function before 'Query Documentation' tool to obtain a valid library ID.\n\nIMPORTANT: Do not call this tool more than 3 times per question.",
    inputSchema: {
      ...takes(
        {
          query: text(
            'What to look up. Do not include any sensitive information such as API keys or passwords in your query.',
          ),
          libraryName: text('Library name to search for.'),
        },
        ['query', 'libraryName'],
      ),
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true, idempotentHint: true },
  },
  {
    name: 'query-docs',
    title: 'Query Documentation',
    description: 'Retrieves and queries documentation and code examples for any library.',
    inputSchema: takes({ libraryId: text("For example '/mongodb/docs'"), query: text('What to look up.') }, [
      'libraryId',
      'query',
    ]),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true, idempotentHint: true },
  },
]

/** https://github.com/github/github-mcp-server/tree/main/pkg/github/__toolsnaps__ */
export const GITHUB = [
  {
    name: 'get_file_contents',
    description: 'Get the contents of a file or directory from a GitHub repository',
    annotations: { readOnlyHint: true, title: 'Get file or directory contents' },
    inputSchema: takes(
      {
        owner: text('Repository owner (username or organization)'),
        path: { ...text('Path to file/directory'), default: '/' },
        ref: text('Accepts optional git refs such as `refs/tags/{tag}`, `refs/heads/{branch}`'),
        repo: text('Repository name'),
        sha: text('Accepts optional commit SHA. If specified, it will be used instead of ref'),
      },
      ['owner', 'repo'],
    ),
  },
  {
    name: 'create_branch',
    description: 'Create a new branch in a GitHub repository',
    annotations: { destructiveHint: false, idempotentHint: false, readOnlyHint: false, title: 'Create branch' },
    icons: [{ mimeType: 'image/png', src: 'data:image/png;base64,iVBORw0KGgo=', theme: 'light' }],
    inputSchema: takes(
      {
        branch: text('Name for new branch'),
        from_branch: text('Source branch (defaults to repo default)'),
        owner: { ...text('Repository owner'), 'x-mcp-header': 'owner' },
        repo: { ...text('Repository name'), 'x-mcp-header': 'repo' },
      },
      ['owner', 'repo', 'branch'],
    ),
    outputSchema: { type: ['null', 'object'], properties: { ref: { type: 'string' } } },
  },
]
