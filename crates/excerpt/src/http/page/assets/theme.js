"use strict";
// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem("excerpt.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the theme is that of the system.
}
