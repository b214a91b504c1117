// The table of secret shapes, as defined by their issuers. Contract 8.4.
type Shape = {
  readonly name: string
  /** A literal in every match: a fast test before the pattern. */
  readonly hint: readonly string[]
  readonly pattern: RegExp
  /** The whole secret, if the pattern matches only its start. A group contains the text before it. */
  readonly whole?: RegExp
  /** Placeholders from the issuer's documentation. */
  readonly placeholder?: RegExp
}

// Every pattern is anchored on its literal and bounded, which limits backtracking. Lengths come from the issuers.
const SHAPES: readonly Shape[] = [
  {
    name: 'AWS key id',
    hint: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g,
    placeholder: /EXAMPLE$|X{16}$/,
  },
  {
    // No shape of its own: identified by the name before it.
    name: 'AWS secret key',
    hint: ['ecret', 'ECRET'],
    pattern:
      /secret[ _-]?(?:access[ _-]?)?key["'\\]{0,4}\s{0,4}(?:=>|[:=])\s{0,4}["'\\]{0,4}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
  },
  {
    name: 'private key',
    hint: ['PRIVATE KEY'],
    pattern: /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
    whole:
      /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[^])*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
  },
  // Signed or not: the claims of a token may be private too.
  {
    name: 'JWT',
    hint: ['eyJ'],
    // Checks the end of a run of such characters before searching for a token's start in it.
    pattern: /(?<![\w-])(?=[\w-]{11,}\.eyJ[\w-]{4})(?:[\w-]*?-)??eyJ[\w-]{8,}\.eyJ/g,
    whole: /(?<![\w-])(?=[\w-]{11,}\.eyJ[\w-]{4})((?:[\w-]*?-)??)eyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w.-]*)?/g,
  },
  {
    name: 'GitHub token',
    hint: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}\b|ghs_\d{1,20}_eyJ[\w-]{8}|github_pat_[A-Za-z0-9_]{50,255}\b)/g,
    whole:
      /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}\b|ghs_\d{1,20}_eyJ[\w-]{8,}(?:\.[\w.-]*)?|github_pat_[A-Za-z0-9_]{50,255}\b)/g,
  },
  {
    name: 'GitLab token',
    hint: ['gl', 'GR1348941'],
    pattern:
      /\b(?:gl(?:pat|dt|rt|rtr|cbt|ft|wt|soat|ffct)-[\w-]{20,64}|glimt-[\w-]{25}(?![\w-])|glptt-[0-9a-f]{40}\b|glagent-[\w-]{50}|gloas-[\w-]{64}|GR1348941[\w-]{20}(?![\w-]))/g,
    placeholder: /x{8}|X{8}/,
  },
  {
    name: 'Slack token',
    hint: ['xox', 'xapp-', 'hooks.slack.com'],
    pattern:
      /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}|\bxapp-\d-[A-Z0-9]{5,20}-\d{5,20}-[a-z0-9]{20,100}|hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9+/]{40,60}/g,
  },
  {
    name: 'Google key',
    hint: ['AIza', 'ya29.', 'GOCSPX-'],
    pattern: /\bAIza[\w-]{35}|\bya29\.[\w-]{20,500}|\bGOCSPX-[\w-]{28}/g,
  },
  {
    name: 'OpenAI or Anthropic key',
    hint: ['sk-'],
    pattern: /\bsk-(?:(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{30,250}|[A-Za-z0-9]{20,250}\b)/g,
  },
  {
    name: 'Stripe live key',
    hint: ['k_live_', 'whsec_'],
    pattern: /\b(?:[sr]k_live_[A-Za-z0-9]{24,250}|whsec_[A-Za-z0-9]{24,64})/g,
  },
  { name: 'bearer token', hint: ['earer '], pattern: /\b[Bb]earer [A-Za-z0-9_~+/.-]{20,4096}={0,2}/g },
]

/** The limit of placeholders; more may hide a real secret. */
const MOST_LOOKED_AT = 100

/** The name of the first matching shape. */
export function findSecret(text: string): string | undefined {
  return SHAPES.find((shape) => shape.hint.some((literal) => text.includes(literal)) && holds(text, shape))?.name
}

const SECRET = '[SECRET]'

/** Replaces all secrets and keeps placeholders. */
export function withoutSecrets(text: string): string {
  return SHAPES.reduce(
    (kept, { hint, pattern, whole = pattern, placeholder }) =>
      hint.some((literal) => kept.includes(literal))
        ? kept.replace(whole, (found: string, before: unknown) =>
            placeholder?.test(found) ? found : typeof before === 'string' ? before + SECRET : SECRET,
          )
        : kept,
    text,
  )
}

function holds(text: string, { pattern, placeholder }: Shape): boolean {
  let seen = 0
  for (const [found] of text.matchAll(pattern)) {
    if (placeholder?.test(found) !== true || ++seen > MOST_LOOKED_AT) return true
  }
  return false
}
