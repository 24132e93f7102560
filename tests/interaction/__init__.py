"""The application as its users meet it; a package, so that pytest ends the one that its tests share with them."""
