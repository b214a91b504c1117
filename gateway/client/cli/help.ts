// How the commands are used, in the terminal and in docs/cli.md.
import type { Command, Option } from './command.ts'
import { COMMANDS, COMMON, PROGRAMS } from './commands.ts'

const flagOf = ([name, { value, short }]: readonly [string, Option]): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`

const usageOf = ({ name, args = [] }: Command): string =>
  ['gantry', name, ...args.map((arg) => (arg.startsWith('[') ? arg : `<${arg}>`))].join(' ')

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

const EXITS =
  '0 done, 1 failed, 2 drift (of `pcg` commands on files: 1 differences, findings or conflicts, 2 trouble), 64 wrong usage, 69 gateway unreachable, 77 not allowed'

export function helpOf(command: Command): string {
  const options = Object.entries({ ...command.options, ...COMMON })
  const rows = options.map((option) => [flagOf(option), option[1].summary] as const)
  return `${usageOf(command)}\n\n${command.summary}.\n\n${columns(rows)}\n`
}

export function helpText(version: string): string {
  const rows = [
    ...Object.entries(PROGRAMS).map(([name, summary]) => [name, summary] as const),
    ...COMMANDS.map(({ name, summary }) => [name, summary] as const),
  ]
  return `gantry ${version}\n\n${columns(rows)}\n\nOptions of every command:\n${columns(
    Object.entries(COMMON).map((option) => [flagOf(option), option[1].summary] as const),
  )}\n\nExit codes: ${EXITS}.\n`
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

export function reference(): string {
  const parts = COMMANDS.map((command) => {
    const options = Object.entries(command.options ?? {})
    const rows = options.map(
      (option) => `| \`${flagOf(option).replaceAll('|', '\\|')}\` | ${cell(option[1].summary)} |`,
    )
    const list = rows.length === 0 ? '' : `\n| Option | Meaning |\n|---|---|\n${rows.join('\n')}\n`
    return `\n## ${command.name}\n\n${command.summary}.\n\n\`\`\`\n${usageOf(command)}\n\`\`\`\n${list}`
  })
  const common = Object.entries(COMMON).map((option) => `| \`${flagOf(option)}\` | ${cell(option[1].summary)} |`)
  return `# The command line

Generated from \`gateway/client/cli/commands.ts\`; change it there and run \`node gateway/client/cli/docs.ts\`.

\`gantry\` calls the admin API of a running gateway; \`gantry serve\` runs one, and
\`gantry serve --instances auto\` as several processes on one port ([deployment.md](deployment.md)). A key is read from the environment or from
a file, never from the arguments, which other programs on the computer can see. Exit codes: ${EXITS}.

| Option of every command | Meaning |
|---|---|
${common.join('\n')}
${parts.join('')}`
}
