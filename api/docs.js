/** Puts the page of the interface in the colours of the workbench: those of a session that this tab keeps, else the system's. */
const system = matchMedia('(prefers-color-scheme: dark)')
const { theme = 'system' } = JSON.parse(sessionStorage.getItem('patient-risk-session') ?? '{}')
const apply = () => {
  document.documentElement.classList.toggle(
    'dark-mode',
    theme === 'dark' || (theme === 'system' && system.matches),
  )
}
apply()
system.addEventListener('change', apply)
