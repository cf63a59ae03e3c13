"""Follow what shell text would do."""
