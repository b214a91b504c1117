// The script of the install page: copy buttons, and tabs where there is a script to switch them.
/** Written into the page as its own text, so it names nothing outside itself. */
export function copyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    const told = button.textContent
    button.addEventListener('click', () => {
      const text = document.getElementById(button.dataset.copy ?? '')?.textContent ?? ''
      const say = (word: string): void => {
        button.textContent = word
        setTimeout(() => {
          button.textContent = told
        }, 2000)
      }
      // Browsers give the clipboard to secure pages only.
      const copied = navigator.clipboard
        ? navigator.clipboard.writeText(text)
        : Promise.reject(new Error('no clipboard'))
      copied.then(
        () => say('Copied'),
        () => say('Select and copy by hand'),
      )
    })
  }
}
