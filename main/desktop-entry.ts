// Files of the Desktop Entry Specification: a start at login and a link handler on Linux.

/** Quotes one argument of the Exec key; a string value of the file is escaped once more. */
function quoted(argument: string): string {
  const escaped = argument.replace(/["`$\\]/g, (each) => `\\${each}`).replaceAll('%', '%%')
  return `"${escaped.replaceAll('\\', '\\\\')}"`
}

/** `last`: a switch or a field code, which must not be quoted. */
export function desktopEntry(command: readonly string[], last: string, lines: readonly string[] = []): string {
  const exec = [...command.map(quoted), last].join(' ')
  return ['[Desktop Entry]', 'Type=Application', 'Name=Gantry', `Exec=${exec}`, 'Terminal=false', ...lines, ''].join(
    '\n',
  )
}
